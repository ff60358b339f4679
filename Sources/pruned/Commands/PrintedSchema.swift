import PolicyFile
import Pruning
import Retention
import TerminalText

/// Prints the tables that the rules of a store use, in the form that a preset's `[[schema]]` takes.
struct PrintedSchema {
    let setup: Setup
    let store: String

    func execute() throws(Failure) -> ExitStatus {
        let definition = try setup.policy.stores(named: [store])[0]
        let stores = try setup.stores(of: setup.configuration, purpose: "pruned check")
        guard let store = stores.byName[definition.name] else {
            throw Failure(.failed, "there is no store \(definition.name)")
        }
        guard store.exists() else { throw Failure(.missingStore(at: definition.place)) }
        let schema = try stores.answer(of: store, to: .schema, as: StoreSchema.self)
        guard !schema.tables.isEmpty else {
            throw Failure(
                .failed,
                "\(definition.place) has none of the tables that the rules of \(definition.name) use",
                hint: "`\(setup.program) suggest` prints what a database has")
        }
        // As a preset's text has it, between three quotation marks.
        let lines = schema.lines.map { $0.escaping(\.isObeyed, as: \.tomlEscape) + "\n" }
        try StandardStream.output.write(lines.joined())
        return .done
    }
}
