import PolicyFile
import TerminalText

/// Every value of a configuration and the file that it comes from, table by table.
struct SettingsText: CustomStringConvertible {
    private let settings: [Setting]
    private let width: Int
    private static let widestValue = 36

    /// In lines of at most `width` columns.
    init(_ settings: [Setting], width: Int) {
        self.settings = settings
        self.width = width
    }

    var description: String {
        let keys = settings.map(\.key.columns).max() ?? 0
        // Where a terminal is narrow, the file that says it has some room left.
        let widest = min(Self.widestValue, max(8, width - keys - 24))
        let values = min(widest, settings.map(\.value.columns).max() ?? 0)
        var table: String?
        var lines: [String] = []
        for setting in settings {
            if setting.table != table {
                let title = setting.table.isEmpty ? "settings" : "[\(setting.table)]"
                lines.append(title.shortened(toColumns: width))
            }
            table = setting.table
            let value = setting.value.shortened(toColumns: values).padded(to: values)
            let line = "  \(setting.key.padded(to: keys))  \(value)  "
            lines.append(line + setting.origin.onOneLine.shortened(toColumns: width - line.columns))
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
