import Foundation

/// A run did not do what it should have, or could not be made: its figures mean nothing.
struct BenchmarkError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }

    /// The system refused `operation`.
    init(cannot operation: String, code: Int32 = errno) {
        description = "cannot \(operation): \(String(cString: strerror(code)))"
    }
}
