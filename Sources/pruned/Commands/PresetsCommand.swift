import ArgumentParser
import PolicyFile
import Pruning
import Retention
import TerminalText

/// `pruned presets`: the apps whose stores are known.
struct PresetsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "presets", abstract: "List the apps whose databases are known, or print what is known.",
        discussion: """
            A preset has an app's rules, what its database must look like, and what a person should know. A store of \
            the configuration uses one with preset = "NAME".

            Examples:
              pruned presets
              pruned presets newsboat
            """)

    @ParentCommand var program: Pruned
    @OptionGroup var common: CommonOptions

    @Flag(name: .long, help: "Print the list as one JSON object.")
    var json = false

    @Argument(help: "Print this preset as it is.", completion: .preset)
    var name: String?

    private var isJSON: Bool { json || program.runOptions.json }

    func validate() throws {
        try program.refuseRunOptions(of: "presets", butSelection: true)
        guard program.runOptions.rule.isEmpty else {
            throw ValidationError("presets cannot be combined with --rule.")
        }
        guard name == nil || !isJSON else {
            throw ValidationError("--json is for the list, without a name.")
        }
    }

    func run() throws {
        ProcessSignals.ignoreUnwanted()
        try Failure.reported { () throws(Failure) in
            let files = try Setup.configurationFiles(common)
            let library = files.presets(user: Privileges.userWorking(on: try Setup.stateDirectory(common)))
            guard let name else { return try list(library, places: files.presetPlaces) }
            return try show(name, library, places: files.presetPlaces)
        }
    }

    private func show(
        _ text: String, _ library: PresetLibrary, places: String
    ) throws(Failure) -> ExitStatus {
        let preset: Preset?
        let known: [String]
        do {
            preset = try Name(text).flatMap { name throws(PolicyFileError) in try library.preset(named: name)
            }
            known = try library.names().map(\.description)
        } catch {
            throw Failure(error)
        }
        guard let preset else {
            throw Failure(
                .usage, "there is no preset \"\(text)\"",
                hint: known.nearest(to: text).map { "did you mean \"\($0)\"?" }
                    ?? (known.isEmpty
                        ? "none was found in \(places)" : "the presets are " + known.joined(separator: ", ")))
        }
        try StandardStream.output.write(preset.text)
        return .done
    }

    /// A preset that cannot be read does not hide the others.
    private func list(_ library: PresetLibrary, places: String) throws(Failure) -> ExitStatus {
        var entries: [PresetList.Entry] = []
        var errors: [PolicyFileError] = []
        let names: [Name]
        do { names = try library.names() } catch { throw Failure(error) }
        for name in names {
            do {
                if let preset = try library.preset(named: name) { entries.append(try .init(preset)) }
            } catch {
                errors.append(error)
            }
        }
        let list = PresetList(entries: entries)
        if isJSON {
            do { try StandardStream.output.write(list.json() + "\n") } catch let failure as Failure {
                throw failure
            } catch {
                throw Failure(.failed, "the list cannot be written as JSON: \(error)")
            }
        } else if !entries.isEmpty {
            try StandardStream.output.write(list.text(.of(.output, common.color)))
        } else if errors.isEmpty {
            try StandardStream.output.write("No preset was found in \(places).".onOneLine + "\n")
        }
        guard errors.isEmpty else {
            throw Failure(.configuration, messages: errors.map { ($0.description, $0.hint) })
        }
        return .done
    }
}
