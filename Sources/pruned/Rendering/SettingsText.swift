import PolicyFile
import TerminalText

/// Every value of a configuration and the file that it comes from, grouped by table.
struct SettingsText: CustomStringConvertible {
    private let settings: [Setting]
    private let style: TextStyle
    private static let widestValue = 36

    /// On a screen, no line is longer than the screen is wide.
    init(_ settings: [Setting], style: TextStyle) {
        self.settings = settings
        self.style = style
    }

    var description: String {
        let keys = settings.map(\.key.columns).max() ?? 0
        // Leaves space for the file name on a narrow terminal.
        let widest = min(Self.widestValue, max(8, style.width - keys - 24))
        let values = min(widest, settings.map(\.value.columns).max() ?? 0)
        var table: String?
        var lines: [String] = []
        for setting in settings {
            if setting.table != table {
                let title = setting.table.isEmpty ? "settings" : "[\(setting.table)]"
                lines.append(style.shown(cut(title, style.tableWidth), as: .heading))
            }
            table = setting.table
            let value = cut(setting.value, values).padded(to: values)
            let line = "  \(setting.key.padded(to: keys))  \(value)  "
            lines.append(line + cut(setting.origin.onOneLine, style.width - line.columns))
        }
        return lines.map { $0 + "\n" }.joined()
    }

    private func cut(_ text: String, _ columns: Int) -> String {
        style.isScreen ? text.shortened(toColumns: columns) : text
    }
}
