import CSQLite
import Glibc
import Synchronization

/// Stands between SQLite and the files of this process. SQLite opens only files that were checked, and removes only
/// files of a database that it has opened.
///
/// Somebody who can write beside a store can plant a rollback journal there that names any file of the system as its
/// super-journal. SQLite deletes that file after the rollback (`pager_delsuper` in pager.c). They can also plant a
/// link, a pipe or another user's file under the name of a log. So this layer replaces SQLite's system calls
/// (`xSetSystemCall`, sqlite.org/c3ref/vfs.html), and checks the names above them.
package enum FileLayer {
    /// Makes all connections of this process use the layer from now on. A second call does nothing.
    package static func install() { _ = installed }

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
            // The path needs no resolution, and no link can change where it leads.
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

/// The names that SQLite may use.
extension FileLayer {
    /// The databases that were opened by an ordinary path, such as the default store while it is created.
    private static let databases = Mutex<Set<String>>([])

    private static let companions = ["-journal", "-wal"]

    /// Whether a path is that of an opened database, or of its journal or log. A super-journal is never accepted: only
    /// the program that wrote it knows the other databases.
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
                // SQLite checks this to see whether the file must be closed.
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

/// The system calls that SQLite makes for files.
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
                // Another file has replaced it.
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
        let calls: [(String, sqlite3_syscall_ptr)] = [
            ("open", unsafeBitCast(open, to: sqlite3_syscall_ptr.self)),
            ("access", unsafeBitCast(access, to: sqlite3_syscall_ptr.self)),
            ("stat", unsafeBitCast(stat, to: sqlite3_syscall_ptr.self)),
            ("unlink", unsafeBitCast(unlink, to: sqlite3_syscall_ptr.self)),
        ]
        for (name, call) in calls { _ = system.pointee.xSetSystemCall(system, name, call) }
    }

    private static func open(_ path: UnsafePointer<CChar>?, _ flags: CInt, _ mode: mode_t) -> CInt {
        // SQLite's source of random numbers, not a file of a store.
        if let path, strcmp(path, "/dev/urandom") == 0 { return Glibc.open(path, flags) }
        return inDirectory(path) { directory, name in
            CheckedOpen.open(
                name, in: directory.descriptor, directory.mayCreate(name) ? flags : flags & ~O_CREAT, mode,
                expecting: directory.expected(name))
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
