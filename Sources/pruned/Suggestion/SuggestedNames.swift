import DefaultStore
import Pruning
import Retention

/// Names for a store and its rules that the policy does not have yet.
struct SuggestedNames {
    /// After the app if it is known, or else after the database or the file, or after the first of the file's directories
    /// whose name says more. A store that the policy has already keeps its name.
    let store: Name
    private let taken: Set<Name>

    init(_ job: SuggestionJob, database: String?, app: Name? = nil) {
        taken = job.rules
        if let own = job.name {
            store = own
            return
        }
        let path = SuggestedPlace(kind: job.kind).path ?? database ?? ""
        let stem = path.lastName.split(separator: ".").first.map(String.init) ?? ""
        let directories = path.parentPath.split(separator: "/").reversed().map(String.init)
        let text = ([stem] + directories).first { !Self.meaningless.contains($0.lowercased()) } ?? stem
        store = Self.free(
            app ?? Self.name(from: text) ?? "store", besides: job.stores)
    }

    /// The name of the rule on a table, besides those that were given.
    func rule(on table: String, among given: [Name]) -> Name {
        let text = store.description + "-" + table
        return Self.free(Self.name(from: text) ?? store, besides: taken.union(given))
    }

    private static let meaningless: Set = [
        "cache", "data", "database", "db", "default", "main", "sqlite", "store", "storage", "index",
    ]

    /// The text without the characters that a name cannot have; nil if nothing is left.
    private static func name(from text: String) -> Name? {
        let characters = text.lowercased().unicodeScalars.map { scalar -> Character in
            let isPlain = ("a"..."z").contains(scalar) || ("0"..."9").contains(scalar) || scalar == "_"
            return isPlain ? Character(scalar) : "-"
        }
        let trimmed = String(characters).split(separator: "-").joined(separator: "-")
        return Name(String(trimmed.drop { $0 == "_" }.prefix(56)))
    }

    private static func free(_ name: Name, besides taken: Set<Name>) -> Name {
        let numbered = (2...).lazy.compactMap { Name("\(name)-\($0)") }
        return taken.contains(name) ? numbered.first { !taken.contains($0) } ?? name : name
    }
}
