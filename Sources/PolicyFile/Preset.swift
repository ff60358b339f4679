import Retention

/// What a preset file says: an app, the schemas of its store, and rules for it.
package struct Preset: Sendable {
    /// The file's name without `.toml`.
    package let name: Name
    /// The path of the file.
    package let file: String
    package let app: String
    package let versions: String
    /// What the preset was tried with.
    package let testedWith: String
    /// Where the app usually has its store.
    package let path: String?
    /// Where the app usually has its database on a server.
    package let url: String?
    /// What kind of store it is for.
    package let format: StoreFormat
    /// What a person should know.
    package let notes: String?
    /// The file's text.
    package let text: String
    /// What `{prefix}` stands for where the store does not say; nil if the preset has no prefix.
    package let prefix: String?
    /// The name of the directory of presets beside a configuration file.
    static let directory = "presets"
    private let parsed: ParsedFile

    /// A preset whose file has this text. Throws if it is none.
    package init(_ name: Name, file: String, text: String) throws(PolicyFileError) {
        try self.init(name, SourceText(text: text, file: file, name: file))
    }

    /// Throws if the file is not a preset. Its rules are read with the store that they are for.
    init(_ name: Name, _ source: SourceText) throws(PolicyFileError) {
        self.name = name
        (file, text) = (source.file, source.text)
        parsed = try source.parsed()
        let reader = try TableReader<PresetKey>([parsed], at: [])
        app = try Self.required(.app, "app = \"newsboat\"", reader)
        versions = try Self.required(.versions, "versions = \"2.21 to 2.38\"", reader)
        testedWith = try Self.required(.testedWith, "tested_with = \"newsboat 2.21 of Debian 12\"", reader)
        (path, url) = (try reader.string(.path), try Self.url(reader))
        format = try Self.format(reader)
        notes = try reader.string(.notes)
        prefix = try reader.prefix(.prefix, of: format)
        try Self.checkSchemas(reader, TablePrefix(prefix ?? "prefix_", of: format))
        for (_, rule) in try reader.tables(.rule, of: RuleKey.self)
        where try rule.string(.store) != nil {
            throw rule.error(.store, "belongs to the file that uses the preset", hint: "remove it")
        }
    }

    private static func required(
        _ key: PresetKey, _ example: String, _ reader: TableReader<PresetKey>
    ) throws(PolicyFileError) -> String {
        guard let value = try reader.string(key) else {
            throw reader.error("has no \(key.rawValue)", hint: "a preset says \(example)")
        }
        return value
    }

    /// The example of a connection string, which is no place for a password.
    private static func url(_ reader: TableReader<PresetKey>) throws(PolicyFileError) -> String? {
        guard let text = try reader.string(.url) else { return nil }
        do throws(ConnectionStringError) {
            guard try !ConnectionString(text).hasPassword else {
                throw ConnectionStringError("has a password", hint: "a preset is for everybody; remove it")
            }
        } catch {
            throw reader.error(.url, error.reason, hint: error.hint)
        }
        return text
    }

    private static func format(_ reader: TableReader<PresetKey>) throws(PolicyFileError) -> StoreFormat {
        guard reader.value(.url) == nil || reader.value(.path) == nil else {
            throw reader.error(
                .url, "cannot be combined with path", hint: "a preset is for one kind of store; remove one")
        }
        guard let url = try url(reader) else { return .sqlite }
        return StoreFormat(ofURL: url)
    }

    private static func checkSchemas(
        _ reader: TableReader<PresetKey>, _ prefix: TablePrefix
    ) throws(PolicyFileError) {
        let schemas = try reader.elements(.schema, of: SchemaKey.self)
        guard !schemas.isEmpty else {
            throw reader.error(
                "has no schema",
                hint: "write [[schema]] with versions and tables: other stores are refused"
            )
        }
        for schema in schemas { _ = try StoreGate.Known(schema, prefix: prefix) }
    }

    /// The preset in the form of a configuration file, for the store `store`: its rules are called STORE-RULE.
    func layer(for store: Name, prefix: String?) -> ParsedFile {
        let value = { (table: TOMLTable, key: String) in
            table[key].map { value in
                prefix.map { TablePrefix($0, of: format).replaced(in: value, of: key) } ?? value
            }
        }
        let settings: [PolicyLine] = Self.storeKeys.compactMap { key in
            value(parsed.table, key.rawValue).map { (key.rawValue, $0) }
        }
        let rules = parsed.table[PresetKey.rule.rawValue]?.table ?? TOMLTable([])
        let named: [PolicyLine] = rules.keys.compactMap { name in
            guard let rule = value(rules, name)?.table else { return nil }
            let lines = [(RuleKey.store.rawValue, TOMLValue.string(store.description))] + rule.lines
            return ("\(store)-\(name)", .table(TOMLTable(lines, on: rule.lineNumbers)))
        }
        let numbers = Dictionary(rules.lineNumbers.map { ("\(store)-\($0.key)", $0.value) }) { $1 }
        let stores: [PolicyLine] = [
            (store.description, .table(TOMLTable(settings, on: parsed.table.lineNumbers)))
        ]
        let table = TOMLTable([
            (FileKey.store.rawValue, .table(TOMLTable(stores))),
            (FileKey.rule.rawValue, .table(TOMLTable(named, on: numbers))),
        ])
        return ParsedFile(
            table: table, file: file, name: "\(Self.directory)/\(name).toml", isPreset: true)
    }

    /// The policy of a configuration that only has a store by this preset, called `store` and at `place`, a path or a
    /// connection string. `prefix` is that of the store's tables, if it is not the preset's.
    package func policy(
        for store: Name, at place: String, prefix: String? = nil, systemTimeZone: Zone
    ) throws(PolicyFileError) -> RetentionPolicy {
        let lines: [PolicyLine] = [
            ((format == .sqlite ? StoreKey.path : .url).rawValue, .string(place)),
            (StoreKey.preset.rawValue, .string(name.description)),
        ]
        let stores = TOMLTable([(store.description, .table(TOMLTable(lines)))])
        let user = ParsedFile(
            table: TOMLTable([(FileKey.store.rawValue, .table(stores))]), file: file, name: file)
        let layers = [layer(for: store, prefix: prefix ?? self.prefix), user]
        return try RetentionPolicy(
            TableReader<FileKey>(layers, at: []), systemTimeZone: systemTimeZone)
    }

    /// The keys of a preset that are keys of its store.
    private static let storeKeys: [PresetKey] = [.reclaim, .quiet, .skipWhileLocked, .triggers, .schema]
}
