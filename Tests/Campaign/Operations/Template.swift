import Foundation

/// An operation that is ready to begin, as files; each trial has a copy.
struct Template {
    let operation: Operation
    private let program: String
    private let directory: String
    /// The ``Operation/live`` rows.
    let live: [[[String]]]
    /// The ``Operation/archived`` rows.
    let archived: Set<[String]>
    /// How many rows are to change.
    let left: Int64
    /// The files after an operation without faults.
    let rest: [String]
    /// The run that ``Operation/before`` began with.
    private let run: String

    init(_ operation: Operation, program: String, in parent: String) throws {
        self.operation = operation
        self.program = program
        directory = parent + "/" + operation.name
        try FileManager.default.createDirectory(
            atPath: directory + "/state", withIntermediateDirectories: true)
        if let policy = operation.policy {
            try Data(policy.utf8).write(to: URL(fileURLWithPath: directory + "/pruned.toml"))
        }
        if let sql = operation.store {
            let store = try StoreFile(directory + "/state/" + operation.storeName)
            try store.execute(
                sql.replacingOccurrences(of: "NOW", with: "\(Int(Date().timeIntervalSince1970))"))
        }
        archived = try StoreView(operation, in: directory).archived()
        var run = ""
        for command in operation.before {
            let ended = try Self.start(program, operation, command, in: directory)
            let match = ended.output.firstMatch(of: /"run_id":"([^"]+)"/)
            guard let match, !ended.crashed else { throw TrialError(text: "\(command): \(ended)") }
            run = String(match.1)
        }
        self.run = run
        let view = StoreView(operation, in: directory)
        live = try view.live()
        left = try view.left()

        let trial = parent + "/\(operation.name)-rest"
        try FileManager.default.copyItem(atPath: directory, toPath: trial)
        for command in operation.beforeInPlace {
            _ = try Self.start(program, operation, command, in: trial)
        }
        for command in [operation.command] + (operation.after ?? []) {
            let arguments = command.map { $0 == "RUN" ? run : $0 }
            let ended = try Self.start(program, operation, arguments, in: trial)
            guard ended.status == 0 else { throw TrialError(text: "\(command): \(ended)") }
        }
        guard try StoreView(operation, in: trial).left() == 0 else {
            throw TrialError(text: "\(operation.name) does not do what it is to do")
        }
        rest = try Self.files(in: trial)
    }

    /// Puts a copy of the files into `place`, which is empty.
    func copy(to place: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            try FileManager.default.copyItem(atPath: directory + "/" + name, toPath: place + "/" + name)
        }
        for command in operation.beforeInPlace { _ = try run(command, in: place) }
    }

    /// Runs a command of the operation on the copy in `place`.
    func run(_ command: [String], environment: [String: String] = [:], in place: String) throws -> Spawned {
        let arguments = command.map { $0 == "RUN" ? run : $0 }
        return try Self.start(program, operation, arguments, environment: environment, in: place)
    }

    /// The command line of ``Operation/command``.
    func line(in place: String) -> [String] {
        Self.line(program, operation, operation.command.map { $0 == "RUN" ? run : $0 }, in: place)
    }

    /// The files of the state directory, with their modes.
    static func files(in place: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: place + "/state").sorted().map { name in
            var facts = stat()
            lstat(place + "/state/" + name, &facts)
            return name + " " + String(facts.st_mode, radix: 8)
        }
    }

    private static func line(
        _ program: String, _ operation: Operation, _ arguments: [String], in place: String
    )
        -> [String]
    {
        [program] + arguments + ["--state-dir", place + "/state"]
            + (operation.policy == nil ? [] : ["--config", place + "/pruned.toml"])
    }

    private static func start(
        _ program: String, _ operation: Operation, _ arguments: [String],
        environment: [String: String] = [:], in place: String
    ) throws -> Spawned {
        try spawn(line(program, operation, arguments, in: place), environment: environment, in: place)
    }
}

/// Why something could not be tried.
struct TrialError: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
