import Foundation

/// An operation that is ready to begin, as files; each trial has a copy.
struct Template {
    let commands: Commands
    private let directory: String
    /// The ``Operation/live`` rows.
    let live: [[[String]]]
    /// The ``Operation/archived`` rows.
    let archived: Set<[String]>
    /// How many rows are to change.
    let left: Int64
    /// The files after an operation without faults.
    let rest: [String]

    var operation: Operation { commands.operation }

    init(_ operation: Operation, _ setting: Setting) throws {
        var commands = Commands(operation, setting)
        directory = setting.work + "/templates/" + operation.name
        try FileManager.default.createDirectory(
            atPath: directory + "/state", withIntermediateDirectories: true)
        if let policy = operation.policy {
            try Data(policy.utf8).write(to: URL(fileURLWithPath: directory + "/pruned.toml"))
        }
        if let sql = operation.store {
            let now = "\(Int(Date().timeIntervalSince1970))"
            let store = try StoreFile(directory + "/state/" + operation.storeName)
            try store.execute(sql.replacingOccurrences(of: "NOW", with: now))
        }
        let view = StoreView(operation, in: directory)
        archived = try view.archived()
        for command in operation.before {
            let ended = try commands.prepare(command, in: directory)
            guard !ended.crashed else { throw TrialError(text: "\(command): \(ended)") }
            if let match = ended.output.firstMatch(of: /"run_id":"([^"]+)"/) {
                commands.run = String(match.1)
            }
        }
        live = try view.live()
        left = try view.left()
        self.commands = commands
        rest = try Self.rest(after: commands, from: directory)
    }

    /// The files after an operation without faults, which must do all that it is to do.
    private static func rest(after commands: Commands, from directory: String) throws -> [String] {
        let operation = commands.operation
        let place = directory + "-rest"
        try FileManager.default.copyItem(atPath: directory, toPath: place)
        for command in operation.beforeInPlace { _ = try commands.prepare(command, in: place) }
        for command in [operation.command] + (operation.after ?? []) {
            let ended = try commands.start(command, in: place)
            guard ended.status == operation.ends else { throw TrialError(text: "\(command): \(ended)") }
        }
        guard try StoreView(operation, in: place).left() == 0 else {
            throw TrialError(text: "\(operation.name) does not do what it is to do")
        }
        return try files(in: place)
    }

    /// Puts a copy of the files into `place`, which is empty.
    func copy(to place: String) throws {
        for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
            try FileManager.default.copyItem(atPath: directory + "/" + name, toPath: place + "/" + name)
        }
        for command in operation.beforeInPlace { _ = try commands.prepare(command, in: place) }
    }

    /// The files of the state directory, with their modes.
    static func files(in place: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: place + "/state").sorted().map { name in
            var facts = stat()
            lstat(place + "/state/" + name, &facts)
            return name + " " + String(facts.st_mode, radix: 8)
        }
    }
}

/// Why something could not be tried.
struct TrialError: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}
