import TestSupport

/// The tables of a random app, and the rule by which its rows expire.
struct AppTables {
    enum Key: CaseIterable {
        case number, text, textWithoutRowid
    }

    /// What the rule does with an expired row.
    enum Action: CaseIterable {
        case delete, archive, tombstone, dependents, mark
    }

    static let keep: Int64 = 30 * 86_400

    let kind: StoreKind
    let key: Key
    let action: Action
    let inMilliseconds: Bool
    /// Whether only rows of some feeds expire.
    let hasCondition: Bool
    let hasTimeIndex: Bool
    /// Whether labels keep their rows by a subquery instead of `kept_by`.
    let labelsProtect: Bool

    init(of kind: StoreKind, using generator: inout SeededGenerator) {
        self.kind = kind
        let keys = kind == .file ? Key.allCases : [.number, .text]
        key = keys.randomElement(using: &generator) ?? .number
        // MariaDB knows no tombstones.
        let actions = Action.allCases.filter { kind != .mariaDB || $0 != .tombstone }
        action = actions.randomElement(using: &generator) ?? .delete
        inMilliseconds = Bool.random(using: &generator)
        hasCondition = Bool.random(using: &generator)
        hasTimeIndex = Bool.random(using: &generator)
        labelsProtect = Bool.random(using: &generator)
    }

    /// The feed whose rows stay under a condition.
    static let keptFeed = 3

    var schema: String {
        let keyType = key == .number ? "bigint" : kind == .mariaDB ? "varchar(40)" : "text"
        // Only this type is the rowid of SQLite.
        let primaryKey = key == .number && kind == .file ? "INTEGER" : keyType
        let cascade = action == .dependents ? " ON DELETE CASCADE" : ""
        // MariaDB prunes no table without a key.
        let childKey = kind == .mariaDB ? "id bigint AUTO_INCREMENT PRIMARY KEY, " : ""
        return """
            CREATE TABLE item (id \(primaryKey) PRIMARY KEY NOT NULL, feed integer NOT NULL, received bigint,
                starred integer NOT NULL DEFAULT 0, version integer NOT NULL, body text NOT NULL,
                marked integer NOT NULL DEFAULT 0)\(key == .textWithoutRowid ? " WITHOUT ROWID" : "");
            CREATE TABLE label (item \(keyType) NOT NULL REFERENCES item (id) ON UPDATE CASCADE, name text);
            CREATE INDEX label_item ON label (item);
            CREATE TABLE child (\(childKey)item \(keyType) NOT NULL REFERENCES item (id) ON UPDATE CASCADE\(cascade));
            CREATE INDEX child_item ON child (item);
            CREATE TABLE gone (item \(keyType) PRIMARY KEY);
            CREATE TABLE trail (item \(keyType));
            \(hasTimeIndex ? "CREATE INDEX item_received ON item (received);" : "")
            """
    }

    /// The rule, in pruned's configuration.
    var rule: String {
        let labelled = "EXISTS (SELECT 1 FROM label l WHERE l.item = item.id)"
        var lines = [
            "[rule.old]", "table = \"item\"", "age_column = \"received\"", "keep = \"30d\"", "every = \"1s\"",
            "unit = \"\(inMilliseconds ? "ms" : "s")\"", "guard = { max_share = 1 }",
            labelsProtect
                ? "protect = [\"starred = 1\", \"\(labelled)\"]"
                : "protect = \"starred = 1\"\nkept_by = \"label.item\"",
        ]
        if hasCondition { lines.append("where = \"feed <> \(Self.keptFeed)\"") }
        switch action {
        case .delete: break
        case .archive: lines.append("archive = true")
        case .tombstone:
            lines.append("tombstone = { table = \"gone\", columns = { item = \"id\" } }")
        case .dependents: lines.append("dependents = [\"child\"]")
        case .mark: lines.append("action = { set = { marked = 1 } }")
        }
        return lines.joined(separator: "\n")
    }

    /// The key of the row that is inserted as the `number`th. Text keys do not follow time.
    func key(_ number: Int) -> String {
        key == .number ? "\(number)" : String(UInt64(number) &* 0x9E37_79B9_7F4A_7C15, radix: 16)
    }

    /// How SQL has a key.
    func literal(_ key: String) -> String { self.key == .number ? key : "'\(key)'" }

    /// How SQL has a time.
    func literal(_ time: Int64?) -> String {
        time.map { "\(inMilliseconds ? $0 * 1000 : $0)" } ?? "NULL"
    }

    /// The time that SQL had as `text`.
    func time(_ text: String) -> Int64? { Int64(text).map { inMilliseconds ? $0 / 1000 : $0 } }
}
