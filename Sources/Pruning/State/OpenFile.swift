import FoundationEssentials
import Glibc

/// An open file that is closed with the value.
final class OpenFile {
    private let descriptor: CInt

    init(_ descriptor: CInt) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Nil where it cannot be read.
    func read(upTo limit: Int = .max) -> Data? {
        var data = Data()
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while data.count < limit {
            let count = Glibc.read(descriptor, &buffer, min(buffer.count, limit - data.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { return nil }
            guard count > 0 else { break }
            data.append(contentsOf: buffer[..<count])
        }
        return data
    }
}
