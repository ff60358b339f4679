import CTracing
import Foundation

/// A system call that a program is about to make on a file.
struct FileOperation: CustomStringConvertible {
    let name: String
    /// The absolute path, as far as the call names or has open a file.
    let path: String

    var description: String { "\(name) \(path)" }

    /// Nil if it concerns no file, such as a mapping of memory.
    init?(_ call: traced_call) {
        guard let name = tracing_name(call.number) else { return nil }
        self.name = String(cString: name)
        var (directory, path, file): (Int32, Int32, Int32) = (-1, -1, -1)
        tracing_places(call.number, &directory, &path, &file)
        let arguments = withUnsafeBytes(of: call.arguments) { Array($0.bindMemory(to: UInt.self)) }
        func descriptor(_ place: Int32) -> Int32 { Int32(truncatingIfNeeded: arguments[Int(place)]) }
        // Of fcntl, only locks.
        if self.name == "fcntl", ![5, 6, 7, 36, 37, 38].contains(arguments[1]) { return nil }
        let named = path >= 0 ? Self.text(call.thread, arguments[Int(path)]) : ""
        if named.isEmpty {
            guard file >= 0, let opened = Self.opened(descriptor(file), by: call.thread) else { return nil }
            self.path = opened
        } else if named.hasPrefix("/proc/self/fd/"),
            let number = Int32(named.dropFirst("/proc/self/fd/".count))
        {
            guard let opened = Self.opened(number, by: call.thread) else { return nil }
            self.path = opened
        } else if named.hasPrefix("/") {
            self.path = named
        } else {
            let start = directory >= 0 ? descriptor(directory) : AT_FDCWD
            guard let opened = Self.opened(start, by: call.thread) else { return nil }
            self.path = opened + "/" + named
        }
    }

    private static func text(_ thread: Int32, _ address: UInt) -> String {
        var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
        let length = tracing_text(thread, address, &bytes, bytes.count)
        return String(decoding: bytes.prefix(max(0, length)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// What a descriptor of the program is open for.
    private static func opened(_ descriptor: Int32, by thread: Int32) -> String? {
        let link = descriptor == AT_FDCWD ? "cwd" : "fd/\(descriptor)"
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = readlink("/proc/\(thread)/\(link)", &bytes, bytes.count)
        guard count > 0, bytes[0] == UInt8(ascii: "/") else { return nil }
        let path = String(decoding: bytes.prefix(count), as: UTF8.self)
        return path.hasSuffix(" (deleted)") ? String(path.dropLast(" (deleted)".count)) : path
    }
}
