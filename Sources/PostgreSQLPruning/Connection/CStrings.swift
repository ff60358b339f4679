import Glibc

/// Strings as C has them, with NULL for nil and at the end.
final class CStrings {
    private let pointers: [UnsafeMutablePointer<CChar>?]

    init(_ strings: [String?]) { pointers = strings.map { $0.map { strdup($0) } ?? nil } }

    init(bytes: [[UInt8]?]) {
        pointers = bytes.map { bytes in
            bytes.flatMap {
                ($0 + [0]).withUnsafeBytes { bytes in
                    bytes.baseAddress.map { strdup($0.assumingMemoryBound(to: CChar.self)) } ?? nil
                }
            }
        }
    }

    deinit { for pointer in pointers { free(pointer) } }

    var count: Int { pointers.count }

    func withPointers<Result>(_ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result) -> Result {
        let all = pointers.map { UnsafePointer($0) } + [nil]
        return all.withUnsafeBufferPointer { buffer in
            body(buffer.baseAddress)
        }
    }
}
