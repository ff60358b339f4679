import TestSupport

extension Program {
    /// `reader sample` under a umask, through `prefix` (a program that becomes it) if there is one.
    static func sample(
        _ arguments: [String], path: String = Program.reader.path, umask: String = "022",
        prefix: [String] = [], environment: [String: String] = [:]
    ) -> Program {
        Program(
            path: path, arguments: ["sample"] + arguments, environment: environment,
            prefix: ["sh", "-c", "umask \(umask); exec \"$@\"", "sh"] + prefix)
    }
}
