import ArgumentParser
import DefaultStore
import FoundationEssentials
import Glibc
import Pruning
import Retention

/// `pruned suggest FILE | URL`: proposes a configuration for a database.
struct SuggestCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "suggest",
        abstract: "Propose a configuration for a database; changes nothing.",
        discussion: """
            It names the preset that fits. Of any other database it looks at the tables and at some rows of each, and \
            prints what they have, with rules as comments: none is in force.

            Examples:
              pruned suggest ~/.local/share/app/app.db
              pruned suggest postgresql:///app
              sudo sh -c 'pruned suggest /srv/app/app.db > /etc/pruned/conf.d/20-app.toml'
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Argument(
        help: "The database: an SQLite file, or a connection string of PostgreSQL or MariaDB.",
        completion: .file())
    var file: String

    func validate() throws {
        try program.refuseRunOptions(of: "suggest")
        guard !file.isEmpty else { throw ValidationError("The file is empty.") }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            let directory = try Setup.stateDirectory(common)
            let files = try Setup.configurationFiles(common)
            let place = try place()
            let known = try? Setup.readConfiguration(files, stateDirectory: directory).policy
            let library = files.presets(user: Privileges.userWorking(on: directory))
            // One that cannot be read is passed over; `pruned presets` reports it.
            let presets = ((try? library.names()) ?? []).compactMap { name in
                (try? library.text(named: name)).map {
                    SuggestionJob.PresetText(name, file: $0.file, text: $0.text)
                }
            }
            // A server is asked as the service will ask it. A file is read as its owner: the service's user may not
            // yet have the right to it, and its app may control what lies beside it.
            if let path = place.path {
                try Privileges.assumeOwner(ofFile: path)
            } else {
                try Privileges.assumeOwner(of: directory)
            }
            let job = SuggestionJob(
                place.kind, known: known, presets: presets, presetPlaces: files.presetPlaces)
            try StandardStream.output.write(try text(of: job))
            return .done
        }
    }

    /// The proposal, whose texts are those of whoever owns the store.
    private func text(of job: SuggestionJob) throws(Failure) -> String {
        let store = StoreDefinition(name: "store", kind: job.kind)
        let place = StoreJob.Place(store, holder: "pruned suggest", process: getpid())
        let text = try WorkerProcess.demand(
            StoreJob(.suggestion(job), at: place), of: store.name, for: String.self)
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { String($0).onOneLine }.joined(separator: "\n")
    }

    /// What is no file and reads like a connection string is one.
    private func place() throws(Failure) -> SuggestedPlace {
        guard ConnectionString.isURI(file) || file.contains("=") && access(file, F_OK) != 0 else {
            return SuggestedPlace(kind: .sqlite(path: try path()))
        }
        do {
            return SuggestedPlace(kind: .server(try ConnectionString(file)))
        } catch {
            throw Failure(
                .usage, "\(ConnectionString.redacted(file)) is no connection string: it \(error.reason)",
                hint: error.hint)
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
