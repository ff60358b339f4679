import ArgumentParser
import DefaultStore
import FoundationEssentials
import Glibc
import Pruning
import Retention

/// `pruned suggest FILE`: proposes a configuration for a database.
struct SuggestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Propose a configuration for a database; changes nothing.",
        discussion: """
            It looks at the tables and at some rows of each, and prints rules with a reason for each line. The longest \
            keep is in force, the others are comments: choose one.

            Examples:
              pruned suggest ~/.local/share/app/app.db
              sudo sh -c 'pruned suggest /srv/app/app.db > /etc/pruned/conf.d/20-app.toml'
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(
        help: "The database.", completion: .file())
    var file: String

    func validate() throws {
        try program.refuseRunOptions(of: "suggest")
        guard !file.isEmpty else { throw ValidationError("The file is empty.") }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            let directory = try Setup.stateDirectory(common)
            let files = Setup.configurationFiles(common)
            return try Suggestion(
                path: try path(),
                known: try? Setup.readConfiguration(files, stateDirectory: directory).policy,
                library: files.presets(user: Privileges.userWorking(on: directory))
            ).execute()
        }
    }

    /// The file's absolute path without links, as a store needs it.
    private func path() throws(Failure) -> String {
        do throws(ReaderStoreError) {
            let path = try StateDirectory.absolute(file)
            guard let resolved = realpath(path, nil) else { return path.withoutDots }
            defer { free(resolved) }
            return String(cString: resolved)
        } catch {
            throw Failure(error)
        }
    }
}
