import Pruning

/// A store in which rows are looked for that came back, read piece by piece, and each piece in one state of the store.
package protocol ReturnSearch {
    /// Rows that are adjacent, from one on.
    associatedtype Piece

    /// Whose rows may have come back; nil if the archive has no identities of them.
    var source: IdentitySource? { get }

    /// What the next look has to know of the table as it is now, and where rows are that may have come back since `last`.
    func begin(since last: LastLook?) throws(StoreError) -> (look: LastLook, pieces: [Piece])

    /// The identities of the rows at the beginning of a piece, about `rows` of them, and the rest of the piece; nil at its
    /// end. A row that is marked as gone is not back, and one with a lease was put back by a restore.
    func read(_ piece: Piece, rows: Int) throws(StoreError) -> (identities: [UInt64], rest: Piece?)

    /// How fast the look may be where the app cannot commit while a piece is read; nil where it can.
    var pace: ReturnPace? { get }
}

/// How fast a look may be.
package struct ReturnPace {
    /// How long a piece should take.
    let target: Duration
    /// How many times as long the pause after it is.
    let pause: Double

    package init(target: Duration, pause: Double) { (self.target, self.pause) = (target, pause) }
}
