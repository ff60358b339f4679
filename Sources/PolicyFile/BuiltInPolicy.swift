import Retention

/// When the files of a configuration replace the built-in policy, and when they only change it.
///
/// Whoever configures a store of their own does not want the rules of a reading app that they do not have.
extension ParsedFile {
    /// Whether this file replaces the stores and rules of `base`, the built-in policy. A main file does so with any store
    /// or rule, a drop-in with a store of its own.
    func replaces(_ base: ParsedFile, isMain: Bool) -> Bool {
        let stores = tables(.store)
        if isMain, !stores.isEmpty || !tables(.rule).isEmpty { return true }
        let known = base.tables(.store)
        return stores.contains { name, store in
            known[name] == nil || [StoreKey.path, .url].contains { store[$0.rawValue] != nil }
        }
    }

    fileprivate func tables(_ key: FileKey) -> [String: TOMLTable] {
        let found = below(key.rawValue)?.table ?? TOMLTable([])
        return Dictionary(found.keys.compactMap { name in found[name]?.table.map { (name, $0) } }) { $1 }
    }
}

extension [ParsedFile] {
    /// Throws if a rule only changes one of `base`, the built-in policy, which these files replace.
    func refuseChanges(of base: ParsedFile) throws(PolicyFileError) {
        let rules = base.tables(.rule)
        for layer in self {
            for name in layer.tables(.rule).keys.sorted() where rules[name] != nil {
                let path = [FileKey.rule.rawValue, name]
                guard origin(of: path + [RuleKey.table.rawValue]) == nil else { continue }
                let tables = compactMap { $0.below(path[0])?.below(name) }
                throw try TableReader<RuleKey>(tables, at: path).error(
                    "changes a rule of the built-in policy, which a configured store replaces",
                    hint: "remove it, or copy that rule and its store from `pruned check --defaults`")
            }
        }
    }
}
