/// How many of some values a column has, which only the store can say.
package struct KeyQuestion: Hashable, Sendable {
    package let table: String
    package let column: String
    /// Different ones, each a number or a whole text.
    package let values: [SketchedValue]
}

/// Finds what refers to tables by the values that were seen, and asks the store whether they are keys there.
package struct ValueReferences {
    package typealias Answers<E: Error> = ([KeyQuestion]) throws(E) -> [Int?]

    /// What was found.
    package let all: [ValueReference]
    /// Whether each column was compared with each key.
    package let isComplete: Bool

    fileprivate struct Pair {
        let source: ReferringColumn
        let target: TableSketch
        let key: ReferringColumn
    }

    /// The columns whose values are keys of one of `targets`. `times` are the columns of each table whose values are
    /// times, which refer to nothing. The store says how many of the values of each question are there; nil for those
    /// that could not be answered.
    package init<E: Error>(
        in store: StoreSketch, to targets: Set<String>, times: [String: Set<String>],
        asking answers: Answers<E>
    ) throws(E) {
        let columns = store.tables.flatMap { table in
            table.columns.filter { times[table.name]?.contains($0.name) != true }.compactMap {
                ReferringColumn($0, of: table)
            }
        }
        let keyed = store.tables.compactMap { table in
            table.key.flatMap { ReferringColumn(key: $0, of: table) }.map { (table, $0) }
        }
        let pairs = columns.flatMap { source in
            keyed.compactMap { target, key -> Pair? in
                source.mayRefer(to: key) ? Pair(source: source, target: target, key: key) : nil
            }
        }
        // A column that could not refer to any of the targets decides nothing.
        let known = Set(pairs.filter { targets.contains($0.target.name) }.map(\.source.id))
        let possible = pairs.filter { known.contains($0.source.id) }
        let asked = Array(possible.prefix(Self.mostPairs))
        let held = try Self.shares(of: asked, answers) { pair in
            KeyQuestion(table: pair.target.name, column: pair.key.name, values: pair.source.sample)
        }
        let found = zip(asked, held).filter { ($1 ?? 0) >= Self.nearlyAll }.map(\.0)
        // How many of the keys are there is not worth a long search.
        let searchable = found.map { $0.source.isSearchable }
        let covered = try Self.shares(of: zip(found, searchable).filter(\.1).map(\.0), answers) { pair in
            KeyQuestion(table: pair.source.table, column: pair.source.name, values: pair.key.sample)
        }
        var left = covered[...]
        let judged = zip(found, searchable).map { pair, isAsked in
            (pair: pair, covers: ((isAsked ? left.popFirst() ?? nil : nil) ?? 0) >= Self.covering)
        }
        // Small numbers are keys of many tables: those are meant of which nearly all keys are there.
        let meant = Set(judged.filter(\.covers).map(\.pair.source.id))
        let certain = Set(judged.filter { !$0.pair.isChance }.map(\.pair.source.id))
        all = judged.filter { pair, covers in
            targets.contains(pair.target.name)
                && (covers || !meant.contains(pair.source.id))
                && (!pair.isChance || !certain.contains(pair.source.id))
        }.map { pair, covers in
            ValueReference(
                table: pair.source.table, column: pair.source.name, target: pair.target.name,
                isKey: pair.source.isOnlyKey, coversTarget: covers, isChance: pair.isChance)
        }
        isComplete = possible.count == asked.count && held.allSatisfy { $0 != nil }
    }

    /// By the name of each of `targets`, the tables with a foreign key to it that have rows for nearly all of its rows.
    package static func covering<E: Error>(
        of targets: [TableSketch], in store: StoreSketch, asking answers: Answers<E>
    ) throws(E) -> [String: Set<String>] {
        let pairs = targets.flatMap { target in
            target.references.filter { $0.refersToKey && $0.table != target.name }.compactMap { reference in
                target.key.flatMap { ReferringColumn(key: $0, of: target) }.map {
                    (reference: reference, target: target.name, key: $0)
                }
            }
        }
        let shares = try shares(of: pairs, answers) { pair in
            KeyQuestion(table: pair.reference.table, column: pair.reference.column, values: pair.key.sample)
        }
        let covered = zip(pairs, shares).filter { ($1 ?? 0) >= covering }.map(\.0)
        return Dictionary(grouping: covered, by: \.target).mapValues { Set($0.map(\.reference.table)) }
    }

    /// The share of the values of each question that are there; nil for those that were not answered.
    private static func shares<Item, E: Error>(
        of items: [Item], _ answers: Answers<E>, _ question: (Item) -> KeyQuestion
    ) throws(E) -> [Double?] {
        let questions = items.map(question)
        return zip(questions, try answers(questions)).map { question, count in
            count.map { Double($0) / Double(max(1, question.values.count)) }
        }
    }

    private static let nearlyAll = 0.9
    private static let covering = 0.8
    private static let mostPairs = 2_000
}

extension ValueReferences.Pair {
    /// Whether the values could be these keys by chance: both are numbers of rows, or they are small numbers, and each
    /// small number is a key.
    fileprivate var isChance: Bool {
        guard key.isDense, let own = source.range, let keys = key.range else { return false }
        if source.isNumbered { return true }
        return own.upperBound < keys.lowerBound &+ (keys.upperBound &- keys.lowerBound) / 4
    }
}
