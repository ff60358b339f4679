/// What a batch costs, learned from batches: a fixed part, the commit above all, and a part for each row.
///
/// A straight line through the recent batches (least squares, older ones counting less), for as long as they differ in
/// size; when they no longer do, the fixed part stays what it was found to be.
struct BatchCost: Equatable, Sendable {
    private var weight = 0.0
    private var rows = 0.0
    private var deleted = 0.0
    private var held = 0.0
    private var rowsSquared = 0.0
    private var rowsTimesHeld = 0.0
    /// In seconds.
    private var fixed = 0.0

    /// How much a batch still counts when the next one comes.
    private static let memory = 0.8
    /// Below this spread of sizes (variance by squared mean) a slope would be noise.
    private static let leastSpread = 0.01

    mutating func learn(rows count: Int, deleted: Int, held time: Duration) {
        let (x, y) = (Double(count), time.seconds)
        weight = weight * Self.memory + 1
        rows = rows * Self.memory + x
        self.deleted = self.deleted * Self.memory + Double(deleted)
        held = held * Self.memory + y
        rowsSquared = rowsSquared * Self.memory + x * x
        rowsTimesHeld = rowsTimesHeld * Self.memory + x * y
        let (meanRows, meanHeld) = (rows / weight, held / weight)
        let variance = rowsSquared / weight - meanRows * meanRows
        guard variance > Self.leastSpread * meanRows * meanRows else { return }
        let slope = max(0, (rowsTimesHeld / weight - meanRows * meanHeld) / variance)
        fixed = min(meanHeld, max(0, meanHeld - slope * meanRows))
    }

    /// The rows whose batch takes `target`; where the fixed part alone takes most of that, as many as take that time
    /// again, so that a batch is always worth its fixed cost.
    func rows(within target: Duration) -> Double { affordable(target) * rows }

    /// The same, if every row were expired, as though only deleted rows cost anything.
    func rows(ifAllExpired target: Duration) -> Double {
        deleted > 0 ? affordable(target) * deleted : .greatestFiniteMagnitude
    }

    /// How many times the work of the remembered batches fits into `target`.
    private func affordable(_ target: Duration) -> Double {
        let work = held - fixed * weight
        return work > 0 ? max(target.seconds - fixed, fixed) / work : .greatestFiniteMagnitude
    }
}
