/// Whether several others write to the store, as the pauses between batches show it.
///
/// A pause that ends when somebody has used the lock serves one writer. Another one who was refused goes on sleeping, longer
/// each time, and may be refused again and again by chance: of three who wrote every few milliseconds, one write in a hundred
/// waited for 53 ms, one in a thousand for 179 ms. While there are several, each pause lasts until all who were
/// refused have asked again.
struct WriterCrowd: Equatable, Sendable {
    /// For how many pauses more there are believed to be several.
    private var pauses = 0

    var isThere: Bool { pauses > 0 }

    /// One alone that was kept waiting may use a pause twice.
    private static let usesOfOne = 2
    /// By then those who write often are seen again.
    private static let memory = 32

    /// Learns from a pause how often others used the lock in the time since the batch. Of a long one that says nothing,
    /// unless they did so more than once in a millisecond.
    mutating func paused(uses: Int, in time: Duration) {
        let isCrowd = uses > Self.usesOfOne && .milliseconds(uses) > time
        pauses = isCrowd ? Self.memory : max(0, pauses - 1)
    }
}
