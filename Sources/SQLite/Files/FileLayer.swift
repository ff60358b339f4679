import CSQLite
import Glibc
import Synchronization

/// What stands between SQLite and the files of this process: it opens nothing that was not looked at, and removes nothing
/// but what belongs to a database that it has opened.
///
/// Whoever can write beside a store can plant a rollback journal there that names any file of the system as its
/// super-journal, which SQLite deletes after it has rolled back (`pager_delsuper` in pager.c); or a link, a pipe or a file of
/// somebody else's by the name of a log. So SQLite's calls of the system are replaced (`xSetSystemCall`,
/// sqlite.org/c3ref/vfs.html), and above them a layer answers for the names.
package enum FileLayer {
    /// Has all connections of this process use it from now on; a second time does nothing.
    package static func install() { _ = installed }

    /// Has `body` called, on its thread, each time that a piece of a file is read or written: a checkpoint does so for long
    /// in the middle of one step. The first that is set stays.
    package static func onTransfer(_ body: @escaping @Sendable () -> Void) {
        _ = transfer.storeIfNil(Transfer(body))
    }

    private final class Transfer: Sendable {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }

    private static let transfer = AtomicLazyReference<Transfer>()

    private static let name = "pruned"

    private static let installed: Bool = {
        guard let system = sqlite3_vfs_find("unix") else { return false }
        replaceSystemCalls(of: system)
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: system.pointee)
        layer.pointee.pNext = nil
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.pAppData = UnsafeMutableRawPointer(system)
        layer.pointee.xOpen = openFile
        layer.pointee.xDelete = { layer, path, isSynced in
            guard FileLayer.isOfDatabase(path), let system = FileLayer.below(layer) else {
                return SQLITE_PERM
            }
            return system.pointee.xDelete(system, path, isSynced)
        }
        layer.pointee.xAccess = { layer, path, flags, result in
            guard FileLayer.isOfDatabase(path), let system = FileLayer.below(layer) else {
                return SQLITE_PERM
            }
            return system.pointee.xAccess(system, path, flags, result)
        }
        layer.pointee.xFullPathname = { layer, path, size, result in
            guard let path, let result, let system = FileLayer.below(layer) else { return SQLITE_CANTOPEN }
            guard StoreDirectory.isPath(path) else {
                return system.pointee.xFullPathname(system, path, size, result)
            }
            // It leads to where it says, and to nothing that a link could change.
            guard strlen(path) < Int(size) else { return SQLITE_CANTOPEN }
            strcpy(result, path)
            return SQLITE_OK
        }
        return sqlite3_vfs_register(layer, 1) == SQLITE_OK
    }()

    private static func below(_ layer: UnsafeMutablePointer<sqlite3_vfs>?) -> UnsafeMutablePointer<
        sqlite3_vfs
    >? {
        layer?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
    }
}

/// Which names are SQLite's to use.
extension FileLayer {
    /// The databases that were opened by paths of their own: the default store, while it is made.
    private static let databases = Mutex<Set<String>>([])

    private static let companions = ["-journal", "-wal"]

    /// Whether a path is of a database that was opened, or of its journal or log. A super-journal is not, wherever it
    /// is: who wrote it knows what stands in the other databases.
    private static func isOfDatabase(_ path: UnsafePointer<CChar>?) -> Bool {
        guard let path = path.map({ String(cString: $0) }) else { return true }
        let ending = companions.first { path.hasSuffix($0) } ?? ""
        let database = String(path.dropLast(ending.count))
        if let (directory, name) = StoreDirectory.find(database) { return directory.expected(name) != nil }
        return databases.withLock { $0.contains(database) || $0.contains(path) }
    }

    private static let openFile:
        @convention(c) (
            UnsafeMutablePointer<sqlite3_vfs>?, sqlite3_filename?, UnsafeMutablePointer<sqlite3_file>?, CInt,
            UnsafeMutablePointer<CInt>?
        ) -> CInt = { layer, path, file, flags, result in
            guard let system = FileLayer.below(layer), flags & SQLITE_OPEN_SUPER_JOURNAL == 0 else {
                // SQLite looks at it to know whether there is anything to be closed.
                file?.pointee.pMethods = nil
                return SQLITE_PERM
            }
            if let path, flags & SQLITE_OPEN_MAIN_DB != 0, !StoreDirectory.isPath(path) {
                let path = String(cString: path)
                FileLayer.databases.withLock { _ = $0.insert(path) }
            }
            return system.pointee.xOpen(system, path, file, flags, result)
        }
}

/// The calls by which SQLite reaches files by their names.
extension FileLayer {
    private static func replaceSystemCalls(of system: UnsafeMutablePointer<sqlite3_vfs>) {
        let open: @convention(c) (UnsafePointer<CChar>?, CInt, CInt) -> CInt = { path, flags, mode in
            FileLayer.open(path, flags, mode_t(truncatingIfNeeded: mode))
        }
        let access: @convention(c) (UnsafePointer<CChar>?, CInt) -> CInt = { path, mode in
            FileLayer.inDirectory(path) { directory, name in
                faccessat(directory.descriptor, name, mode, 0)
            } else: {
                Glibc.access($0, mode)
            }
        }
        let stat: @convention(c) (UnsafePointer<CChar>?, UnsafeMutablePointer<Glibc.stat>?) -> CInt = {
            path, status in
            guard let status else { return -1 }
            return FileLayer.inDirectory(path) { directory, name in
                let code = fstatat(directory.descriptor, name, status, AT_SYMLINK_NOFOLLOW)
                guard code == 0, let expected = directory.expected(name) else { return code }
                // Another file has taken its place.
                guard FileFacts(status.pointee).identity == expected else {
                    errno = ENOENT
                    return -1
                }
                return 0
            } else: {
                fstatat(AT_FDCWD, $0, status, 0)
            }
        }
        let unlink: @convention(c) (UnsafePointer<CChar>?) -> CInt = { path in
            FileLayer.inDirectory(path) { directory, name in
                unlinkat(directory.descriptor, name, 0)
            } else: {
                Glibc.unlink($0)
            }
        }
        let read: @convention(c) (CInt, UnsafeMutableRawPointer?, Int, Int) -> Int = {
            FileLayer.transfer.load()?.body()
            return pread($0, $1, $2, $3)
        }
        let write: @convention(c) (CInt, UnsafeRawPointer?, Int, Int) -> Int = {
            FileLayer.transfer.load()?.body()
            return pwrite($0, $1, $2, $3)
        }
        let calls: [(String, sqlite3_syscall_ptr)] = [
            ("pread", unsafeBitCast(read, to: sqlite3_syscall_ptr.self)),
            ("pread64", unsafeBitCast(read, to: sqlite3_syscall_ptr.self)),
            ("pwrite", unsafeBitCast(write, to: sqlite3_syscall_ptr.self)),
            ("pwrite64", unsafeBitCast(write, to: sqlite3_syscall_ptr.self)),
            ("open", unsafeBitCast(open, to: sqlite3_syscall_ptr.self)),
            ("access", unsafeBitCast(access, to: sqlite3_syscall_ptr.self)),
            ("stat", unsafeBitCast(stat, to: sqlite3_syscall_ptr.self)),
            ("unlink", unsafeBitCast(unlink, to: sqlite3_syscall_ptr.self)),
        ]
        for (name, call) in calls { _ = system.pointee.xSetSystemCall(system, name, call) }
    }

    private static func open(_ path: UnsafePointer<CChar>?, _ flags: CInt, _ mode: mode_t) -> CInt {
        // SQLite's source of random numbers, and no file.
        if let path, strcmp(path, "/dev/urandom") == 0 { return Glibc.open(path, flags) }
        return inDirectory(path) { directory, name in
            CheckedOpen.open(
                name, in: directory.descriptor, flags, mode, expecting: directory.expected(name))
        } else: { path in
            CheckedOpen.open(String(cString: path), in: AT_FDCWD, flags, mode)
        }
    }

    private static func inDirectory(
        _ path: UnsafePointer<CChar>?, _ body: (StoreDirectory, String) -> CInt,
        else other: (UnsafePointer<CChar>) -> CInt
    ) -> CInt {
        guard let path else { return -1 }
        guard StoreDirectory.isPath(path) else { return other(path) }
        guard let (directory, name) = StoreDirectory.find(String(cString: path)) else {
            errno = ENOENT
            return -1
        }
        return body(directory, name)
    }
}
