/// How regularly others use the lock, as the pauses between batches show it: one who uses it in every pause and then does
/// not may be waiting.
///
/// A writer that was refused sleeps between its questions, longer each time. A pause is as long as the sleep after which it
/// asks again; but it may wake up late, find the next batch, and then sleep for longer than any pause lasts. So it could
/// be refused again and again, by chance (132 ms were seen).
struct WriterRhythm: Equatable, Sendable {
    /// How many pauses there were since one in which somebody else used the lock.
    private var unused = 0
    /// How many there usually are, by a moving average; nil before the first use.
    private var usual: Double?

    /// So much of a new figure goes into the average.
    private static let weight = 0.25
    /// Late is who takes longer than twice the usual time: fewer than one in seven do who come at random.
    private static let patience = 2.0

    /// Learns from a pause whether somebody else used the lock in it.
    mutating func paused(wasUsed: Bool) {
        guard wasUsed else {
            unused += 1
            return
        }
        let known = usual ?? Double(unused)
        usual = known + (Double(unused) - known) * Self.weight
        unused = 0
    }

    /// Whether somebody uses the lock in nearly every pause.
    var areRegular: Bool { usual.map { $0 < 1 } ?? false }

    /// How many pauses somebody may have missed who should have come by now.
    var missed: Int {
        guard let usual else { return 0 }
        return max(0, unused - Int(usual * Self.patience))
    }
}
