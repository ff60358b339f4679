/// A program that has ended.
struct EndedProgram {
    let program: Program
    /// Nanoseconds of ``MonotonicClock``.
    let start: Int64
    let end: Int64
    /// The exit status, or 128 and the number of the signal that ended it.
    let status: Int32
    let usage: Usage
    let output: String
    let errors: String

    /// This program, if its status is 0; else throws what it said.
    @discardableResult
    func checked() throws -> EndedProgram {
        guard status == 0 else {
            throw WrongResult("\(program.path) ended with status \(status): \(errors)\(output)")
        }
        return self
    }
}
