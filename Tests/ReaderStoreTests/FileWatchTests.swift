import Dispatch
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import ReaderStore

@Suite struct FileWatchTests {
    let directory: TemporaryDirectory
    private let queue = DispatchQueue(label: "test.watch")

    init() throws { directory = try TemporaryDirectory() }

    /// How often the watch has called while `body` ran, once all that happened has been looked at.
    private func calls(_ body: () throws -> Void) throws -> Int {
        let (told, seen) = (Counter(), Counter())
        queue.suspend()
        let watch = try FileWatch(path: directory.store, queue: queue) { told.add() }
        // Of another file in the same directory, later than all else: when it is told, the first one was as well.
        let last = directory.path + "/last"
        let other = try FileWatch(path: last, queue: queue) { seen.add() }
        let result = Result(catching: body)
        queue.resume()
        while seen.count == 0 {
            try make("last")
            try FileManager.default.removeItem(atPath: last)
            queue.sync {}
        }
        queue.sync {}
        watch.cancel()
        other.cancel()
        try result.get()
        return told.count
    }

    private final class Counter: Sendable {
        private let value = Atomic(0)
        var count: Int { value.load(ordering: .acquiring) }
        func add() { value.add(1, ordering: .acquiringAndReleasing) }
    }

    private func make(_ name: String) throws {
        guard FileManager.default.createFile(atPath: directory.path + "/" + name, contents: nil) else {
            throw POSIXError(.EIO)
        }
    }

    private var name: String { (directory.store as NSString).lastPathComponent }

    @Test("that the file or its log is made, written or removed is told", arguments: ["", "-wal"])
    func told(suffix: String) throws {
        let file = directory.store + suffix
        #expect(try calls { try make(name + suffix) } > 0)
        #expect(
            try calls {
                let handle = try #require(FileHandle(forWritingAtPath: file))
                try handle.write(contentsOf: Data("x".utf8))
                try handle.close()
            } > 0)
        #expect(try calls { try FileManager.default.removeItem(atPath: file) } > 0)
        try make("new")
        #expect(
            try calls {
                try FileManager.default.moveItem(atPath: directory.path + "/new", toPath: file)
            } > 0)
    }

    @Test("what happens to other files is not told", arguments: ["-shm", "-walx", ".backup"])
    func notTold(suffix: String) throws {
        #expect(try calls { try make(name + suffix) } == 0)
    }

    @Test("more than the kernel keeps in mind is told: the file's own change may be among what was lost")
    func overflow() throws {
        let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let count = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(
            try calls {
                let other = directory.path + "/other"
                for _ in 0..<count {
                    try make("other")
                    try FileManager.default.removeItem(atPath: other)
                }
            } > 0)
    }
}
