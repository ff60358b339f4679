import Retention

/// One value of a configuration, and its origin.
package struct Setting: Equatable, Sendable {
    /// Its table, such as `rule.items`; empty for the top level.
    package let table: String
    package let key: String
    /// The value in the file's format.
    package let value: String
    /// The file, such as `pruned.toml` or `conf.d/10-longer.toml`; `built-in`; or `default` if no file sets it.
    package let origin: String

    /// All values of `policy`, which was read from `layers`.
    static func all(of policy: RetentionPolicy, metricsFile: String?, in layers: [ParsedFile]) -> [Setting] {
        let file = FileSettings(layers: layers)
        let top: [[Setting]] = [
            file.settings(
                [],
                [(FileKey.timeZone.rawValue, .string(policy.timeZone.identifier))]
                    + (metricsFile.map { [(FileKey.metricsFile.rawValue, .string($0))] } ?? [])),
            file.settings(["batch"], policy.batchLines),
            file.settings(["archive"], policy.archiveLines),
        ]
        let stores = policy.stores.map { store in
            file.settings(["store", store.name.description], store.lines)
        }
        let rules = policy.rules.map { rule in
            file.settings(["rule", rule.name.description], rule.lines) + file.limits(of: rule)
        }
        return (top + stores + rules).flatMap(\.self)
    }
}

/// Finds the origin of values.
private struct FileSettings {
    let layers: [ParsedFile]

    /// The values of one table that are in force, and those that a file sets without effect.
    func settings(_ path: [String], _ lines: [PolicyLine]) -> [Setting] {
        let known = lines.map { key, value in
            Setting(
                table: path.dotted, key: key, value: value.writtenInFull,
                origin: layers.origin(of: path + [key])?.name ?? Self.unsaid)
        }
        return known + idle(path, besides: Set(known.map(\.key)))
    }

    /// Values without effect, such as `archive = false` or an empty list.
    private func idle(_ path: [String], besides known: Set<String>) -> [Setting] {
        guard path.first == "rule" else { return [] }
        return RuleKey.allCases.filter { $0 != .guard && !known.contains($0.rawValue) }.compactMap { key in
            guard let layer = layers.origin(of: path + [key.rawValue]) else { return nil }
            let value = layer.value(at: (path + [key.rawValue])[...])?.writtenInFull ?? ""
            return Setting(table: path.dotted, key: key.rawValue, value: value, origin: layer.name)
        }
    }

    /// A rule's limits, from its own guard or the common one.
    func limits(of rule: RetentionRule) -> [Setting] {
        let path = ["rule", rule.name.description]
        var isCache = false
        if case .deadline = rule.expiry { isCache = true }
        return rule.holdLimits.lines.map { key, value in
            let isInherited = !isCache || key != GuardKey.maxShare.rawValue
            let own = layers.origin(of: path + ["guard", key])
            let shared = isInherited ? layers.origin(of: ["guard", key]) : nil
            return Setting(
                table: path.dotted, key: "guard." + key, value: value.writtenInFull,
                origin: (own ?? shared)?.name ?? Self.unsaid)
        }
    }

    private static let unsaid = "default"
}
