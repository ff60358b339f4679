import PolicyFile
import Pruning
import Retention
import TerminalText

/// The known presets.
struct PresetList: JSONObject {
    let entries: [Entry]

    var members: [String: any Encodable] { ["presets": entries] }

    struct Entry: JSONObject {
        let preset: Preset
        /// What its rules do with rows: delete, mark, or both.
        let actions: [String]

        /// Throws if the rules of the preset are none.
        init(_ preset: Preset) throws(PolicyFileError) {
            self.preset = preset
            let place =
                switch preset.format {
                case .sqlite: "/store"
                case .postgresql: "postgresql:///store"
                case .mariadb: "mariadb:///store"
                }
            let policy = try preset.policy(for: "store", at: place, systemTimeZone: .gmt)
            actions = Set(policy.rules.map(\.action.infinitive)).sorted()
        }

        var members: [String: any Encodable] {
            [
                "name": preset.name.description, "app": preset.app, "versions": preset.versions,
                "database": preset.format.rawValue, "actions": actions, "tested_with": preset.testedWith,
                "path": preset.path, "url": preset.url, "notes": preset.notes, "file": preset.file,
            ]
        }

        fileprivate var cells: [String] {
            [
                preset.name.description, "\(preset.app) \(preset.versions)".onOneLine,
                preset.format.rawValue, actions.joined(separator: ", "),
            ]
        }
    }

    /// A line for each preset, and how to see the rest of it.
    func text(_ style: TextStyle) -> String {
        let table = TextTable(
            header: ["PRESET", "APP AND VERSIONS", "DATABASE", "ROWS"], rows: entries.map(\.cells), name: 1)
        let lines = table.lines(within: style.tableWidth) { text, row, column in
            row == 0 || column == 0 ? style.shown(text, as: .heading) : text
        }
        return (lines + ["", "`pruned presets NAME` prints a preset."]).map { $0 + "\n" }.joined()
    }
}
