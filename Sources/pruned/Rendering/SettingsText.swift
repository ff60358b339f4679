import PolicyFile
import TerminalText

/// Every value of a configuration and the file that it comes from, table by table.
struct SettingsText: CustomStringConvertible {
    private let settings: [Setting]
    private static let widestValue = 36

    init(_ settings: [Setting]) {
        self.settings = settings
    }

    var description: String {
        let keys = settings.map(\.key.columns).max() ?? 0
        let values = min(Self.widestValue, settings.map(\.value.columns).max() ?? 0)
        var table: String?
        var lines: [String] = []
        for setting in settings {
            if setting.table != table {
                lines.append(setting.table.isEmpty ? "settings" : "[\(setting.table)]")
            }
            table = setting.table
            let value = setting.value.shortened(toColumns: values).padded(to: values)
            lines.append("  \(setting.key.padded(to: keys))  \(value)  \(setting.origin.onOneLine)")
        }
        return lines.map { $0 + "\n" }.joined()
    }
}
