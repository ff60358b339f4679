import CSQLite
import SQLite

@testable import SQLitePruning

/// Lets something happen in the middle of a checkpoint of one connection, where only chance would have it happen else.
///
/// SQLite asks its file layer for the lock of checkpoints, reads the log's index, and, when that has changed, tells the file
/// layer that mapped pages are out of date: two places to step in, before the first and after the second.
final class CheckpointTrap {
    private let file: UnsafeMutablePointer<sqlite3_file>
    private let layer: UnsafeMutablePointer<Layer>
    private var beforeLock: (() -> Void)?
    private var afterLook: (() -> Void)?
    /// Whether the checkpoint has the lock.
    private var hasLock = false

    /// The file layer of SQLite with what belongs to the trap behind it.
    private struct Layer {
        var methods: sqlite3_io_methods
        let original: UnsafePointer<sqlite3_io_methods>
        let trap: Unmanaged<CheckpointTrap>
    }

    /// In the next checkpoint of `db`, runs `beforeLock` before it has the lock, and `afterLook` when it has read the index.
    init?(in db: Database, beforeLock: @escaping () -> Void, afterLook: @escaping () -> Void) {
        guard let file = db.file, let original = file.pointee.pMethods else { return nil }
        self.file = file
        (self.beforeLock, self.afterLook) = (beforeLock, afterLook)
        layer = .allocate(capacity: 1)
        layer.initialize(
            to: Layer(methods: original.pointee, original: original, trap: .passUnretained(self)))
        layer.pointee.methods.xShmLock = { file, first, count, flags in
            guard let file else { return SQLITE_MISUSE }
            let layer = CheckpointTrap.layer(of: file)
            return layer.trap.takeUnretainedValue().lock(flags, at: first) {
                layer.original.pointee.xShmLock(file, first, count, flags)
            }
        }
        layer.pointee.methods.xUnfetch = { file, offset, page in
            guard let file else { return SQLITE_MISUSE }
            let layer = CheckpointTrap.layer(of: file)
            layer.trap.takeUnretainedValue().look()
            return layer.original.pointee.xUnfetch(file, offset, page)
        }
        layer.withMemoryRebound(to: sqlite3_io_methods.self, capacity: 1) {
            file.pointee.pMethods = UnsafePointer($0)
        }
    }

    /// Takes the trap away; to be called before the connection is closed.
    func remove() {
        file.pointee.pMethods = layer.pointee.original
        layer.deallocate()
    }

    /// Whether both have happened.
    var hasSprung: Bool { beforeLock == nil && afterLook == nil }

    private static func layer(of file: UnsafeMutablePointer<sqlite3_file>) -> Layer {
        UnsafeRawPointer(file.pointee.pMethods).load(as: Layer.self)
    }

    private func lock(_ flags: CInt, at first: CInt, _ body: () -> CInt) -> CInt {
        guard first == LogReset.checkpointLock else { return body() }
        let isTaken = flags & SQLITE_SHM_LOCK != 0
        if isTaken, let act = beforeLock {
            beforeLock = nil
            act()
        }
        let code = body()
        if code == SQLITE_OK { hasLock = isTaken }
        return code
    }

    private func look() {
        guard hasLock, let act = afterLook else { return }
        afterLook = nil
        act()
    }
}
