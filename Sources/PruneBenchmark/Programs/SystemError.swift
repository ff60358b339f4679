import Foundation

/// The system refused something.
struct SystemError: Error, CustomStringConvertible {
    let operation: String
    let code: Int32

    init(_ operation: String, code: Int32 = errno) {
        self.operation = operation
        self.code = code
    }

    var description: String { "cannot \(operation): \(String(cString: strerror(code)))" }
}
