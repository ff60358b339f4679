import FoundationEssentials
import Pruning
import Retention

/// What each table of a store could have, by what was seen of it and by what the store says of its keys.
struct TableLooks {
    let proposals: [TableProposal]
    /// Of how many rows a table is small.
    let fewRows: Int64
    /// What a person should know of the whole.
    let remarks: [String]

    init(in store: StoreSketch, at now: Date, asking sketching: any StoreSketching) throws(StoreError) {
        let few = TableProposal.fewRows(in: store.tables, at: now)
        let possible = store.tables.filter { TableProposal.isPossible(on: $0, fewRows: few, at: now) }
        let times = store.tables.map { table in
            let judged = table.columns.map { JudgedColumn($0, at: now) }
            return (
                table.name, Set(judged.filter { $0.time != .none && !$0.sketch.isKey }.map(\.sketch.name))
            )
        }
        let answers = { (questions: [KeyQuestion]) throws(StoreError) in try sketching.count(questions) }
        let covering = try ValueReferences.covering(of: possible, in: store, asking: answers)
        let references = try ValueReferences(
            in: store, to: Set(possible.map(\.name)), times: Dictionary(times) { $1 }, asking: answers)
        proposals = store.tables.map { table in
            TableProposal(
                for: table, in: store.tables, references: references.all.filter { $0.target == table.name },
                covering: covering[table.name] ?? [], fewRows: few, at: now)
        }
        fewRows = few
        remarks =
            references.isComplete
            ? [] : ["Not all columns were compared with the keys of other tables, for want of time."]
    }
}
