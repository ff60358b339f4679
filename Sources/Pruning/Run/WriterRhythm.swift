/// How regularly others use the lock, as the pauses between batches show it: one who uses it in every pause and then does
/// not may be waiting.
///
/// A writer that was refused sleeps between its questions, longer each time. A pause is as long as the sleep after which it
/// asks again; but it may wake up late, find the next batch, and then sleep for longer than any pause lasts. So it could
/// be refused again and again, by chance: an app that writes every 3 ms waited for 132 ms.
///
/// The average is for those who write now and then: if each use of theirs was followed by longer pauses, a run beside a write
/// every 30 ms would take nearly twice as long.
struct WriterRhythm: Equatable, Sendable {
    /// How many pauses there were since one in which somebody else used the lock.
    private var unused = 0
    /// How many there usually are, by a moving average; nil before the first use.
    private var usual: Double?

    /// So much of a new figure goes into the average.
    private static let weight = 0.25
    /// Late is who takes longer than so many times the usual time.
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

    /// How many pauses somebody has missed who used more than every other one of late; nil when nobody did.
    var missedByRegular: Int? {
        guard let usual, usual < 1 else { return nil }
        return max(0, unused - Int(usual * Self.patience))
    }
}
