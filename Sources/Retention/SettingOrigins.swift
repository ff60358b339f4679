/// Where the settings of a policy come from: for each key the file and the line, kept beside the policy.
package struct SettingOrigins: Equatable, Sendable {
    private var origins: [[String]: SettingOrigin]
    /// The tables of families, by those of their stores and rules, such as `["rule", "freshrss/ada-articles"]`.
    package var families: [[String]: [String]] = [:]

    /// The origins of settings by their paths, such as `["rule", "items", "keep"]`.
    package init(_ origins: [[String]: SettingOrigin] = [:]) { self.origins = origins }

    /// The origin of the setting at `path`. If no file sets it, that of the table in which it would be.
    package func origin(of path: [String]) -> SettingOrigin? {
        let table = Array(path.prefix(Self.tableDepth))
        var path = (families[table] ?? table) + path.dropFirst(Self.tableDepth)
        // What is above the table, such as `rule`, is not about the setting.
        while path.count >= Self.tableDepth {
            if let origin = origins[path] { return origin }
            path.removeLast()
        }
        return nil
    }

    /// Tables are called `rule.NAME` and `store.NAME`.
    private static let tableDepth = 2
}

/// A place in a configuration file.
package struct SettingOrigin: Codable, Equatable, Sendable, CustomStringConvertible {
    package let file: String
    /// Counted from 1; nil if unknown.
    package let line: Int?

    package init(file: String, line: Int?) {
        self.file = file
        self.line = line
    }

    package var description: String { line.map { "\(file): line \($0)" } ?? file }
}
