// Dispatch objects are thread-safe, but on Linux they are not yet declared Sendable.
@preconcurrency import Dispatch
import DefaultStore
import Foundation

/// Reports when a database's files may have changed. The kernel wakes it (inotify); it does not poll.
final class FileWatch: Sendable {
    private let source: any DispatchSourceRead

    /// Calls `onChange` on `queue` when the file at `path` or its log was written, created, removed or moved, and when
    /// their directory was moved or removed.
    init(path: String, queue: DispatchQueue, onChange: @escaping @Sendable () -> Void)
        throws(ReaderStoreError)
    {
        let directory = path.parentPath
        let name = path.lastName
        let descriptor = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
        guard descriptor >= 0 else { throw .system("watch", path: path, errno: errno) }
        let events = UInt32(
            IN_MODIFY | IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF)
        guard inotify_add_watch(descriptor, directory, events) >= 0 else {
            let code = errno
            close(descriptor)
            throw .system("watch", path: directory, errno: code)
        }
        source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler {
            // An event without a name means that events were lost, or that the directory is gone.
            if Self.names(in: descriptor).contains(where: { $0 == name || $0 == name + "-wal" || $0.isEmpty })
            {
                onChange()
            }
        }
        source.setCancelHandler { close(descriptor) }
        source.activate()
    }

    /// The names of the files with events.
    private static func names(in descriptor: Int32) -> Set<String> {
        var names: Set<String> = []
        let header = MemoryLayout<inotify_event>.size
        withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: MemoryLayout<inotify_event>.alignment) {
            buffer in
            while true {
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var offset = 0
                while offset + header <= count {
                    let event = buffer.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
                    let bytes = buffer[(offset + header)..<(offset + header + Int(event.len))].prefix {
                        $0 != 0
                    }
                    names.insert(String(decoding: bytes, as: UTF8.self))
                    offset += header + Int(event.len)
                }
            }
        }
        return names
    }

    func cancel() { source.cancel() }

    deinit { source.cancel() }
}
