import PolicyFile
import Pruning
import TerminalText

/// The known presets.
struct PresetList: JSONObject {
    let presets: [Preset]

    var members: [String: any Encodable] { ["presets": presets.map(Entry.init)] }

    private struct Entry: JSONObject {
        let preset: Preset

        var members: [String: any Encodable] {
            [
                "name": preset.name.description, "app": preset.app, "versions": preset.versions,
                "database": preset.format.rawValue, "tested_with": preset.testedWith, "path": preset.path,
                "url": preset.url, "notes": preset.notes, "file": preset.file,
            ]
        }
    }

    /// A few lines for each preset, with its name on the first.
    func text(_ style: TextStyle) -> String {
        guard !presets.isEmpty else { return "no preset is installed\n" }
        return presets.map { preset in
            let lines =
                style.fitted("\(preset.app) \(preset.versions)".onOneLine, indent: Self.indent)
                + style.fitted("database: \(preset.format.rawValue)", indent: Self.indent)
                + style.fitted("tested with: \(preset.testedWith)".onOneLine, indent: Self.indent)
                + (style.isScreen
                    ? preset.file.onOneLine.pieces(ofColumns: style.width - Self.indent)
                    : [preset.file.onOneLine])
            let name = preset.name.description
            let isLong = name.columns + 2 > Self.indent
            let margin = "".padded(to: Self.indent)
            return (isLong ? style.shown(name, as: .heading) + "\n" : "")
                + lines.enumerated().map { index, line in
                    let isFirst = index == 0 && !isLong
                    let start = isFirst ? style.shown(name.padded(to: Self.indent), as: .heading) : margin
                    return start + line + "\n"
                }.joined()
        }.joined()
    }

    /// The column where the text begins.
    private static let indent = 18
}
