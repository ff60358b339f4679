import Pruning
import Retention

/// A store that is open to have archived rows put back, for one thread at a time.
package protocol RestoreSession: BatchContext {
    associatedtype Target: RestoreTarget

    /// Whose rows it can take.
    var format: StoreFormat { get }

    /// Where the store is, for errors.
    var place: String { get }

    /// Whether it is unknown if the last transaction was committed.
    var isInDoubt: Bool { get }

    /// Puts rows back in one transaction, which is committed when this returns.
    ///
    /// In it, `put` is called with the positions `rows` and with what looks for the table they belong into. If the store
    /// refuses the transaction, it is rolled back, and `put` is called again in another one, perhaps with only the first of
    /// the positions. `lease` is called when nothing but the commit is left that could fail.
    func write(
        _ rows: Range<Int>, of batch: RestoreBatch,
        _ put: (Range<Int>, _ target: () throws -> Target) throws -> RestoredRows,
        lease: (RestoredRows) throws -> Void
    ) throws(StoreError) -> (rows: RestoredRows, work: BatchWork)
}

/// The same store, open only to see what a restore would do.
package protocol RestoreLook {
    associatedtype Target: RestoreTarget

    /// See ``RestoreSession``.
    var format: StoreFormat { get }

    /// See ``RestoreSession``.
    var place: String { get }

    /// Calls `body` in one state of the store, with what looks for the table of the batch.
    func look<Result>(
        at batch: RestoreBatch, _ body: (_ target: () throws -> Target) throws -> Result
    ) throws(StoreError) -> Result
}

/// The table into which archived rows are put, as it is now.
package protocol RestoreTarget {
    /// Where the row at `position` is, if it has no key by which ``put(_:)`` would notice that it is there. `back` are the
    /// positions of the rows of the batch that the transaction has put back.
    func whereabouts(
        of position: Int, in batch: RestoreBatch, besides back: [Int]
    ) throws -> RestoreWhereabouts

    /// Puts a row back, or takes its mark back; nil if a row that exists is in the way, or the mark is gone.
    func put(_ row: [ArchivedValue]) throws -> PutRow?

    /// What keeps ``put(_:)`` from putting the row back; nil if nothing is found.
    func obstacle(to row: [ArchivedValue]) throws -> RestoreSkip?

    /// What `body` returns. If the store refuses a row in it, what it did is undone, and the transaction goes on. Nil if that
    /// is because what the row refers to is not there, or not yet.
    func attempt(_ body: () throws -> RestoreOutcome) throws -> RestoreOutcome?
}

/// Where an archived row is, if no key tells it from an equal one.
package enum RestoreWhereabouts {
    case unknown
    /// It was never deleted, as the process that archived it was killed before that; or an equal row is there.
    case neverLeft
    /// A restore put it back, and was killed before it removed the row from the archive.
    case returned
}

/// Why no row of a batch can be put into the table.
package struct NoTarget: Error {
    let reason: RestoreSkip

    package init(_ reason: RestoreSkip) { self.reason = reason }
}
