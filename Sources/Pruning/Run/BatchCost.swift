/// Estimates the lock time of a batch from recent batches: a fixed part, mostly the commit, and a part for each row.
///
/// The estimate is a straight line through the recent batches (least squares, older ones weigh less) while their sizes
/// differ. When the sizes no longer differ, the fixed part stays at its last estimate.
struct BatchCost: Equatable, Sendable {
    private var weight = 0.0
    private var rows = 0.0
    private var deleted = 0.0
    private var held = 0.0
    private var rowsSquared = 0.0
    private var rowsTimesHeld = 0.0
    /// In seconds.
    private var fixed = 0.0

    /// The weight of a batch decreases by this factor with each later one.
    private static let memory = 0.8
    /// Below this spread of sizes (variance divided by the squared mean) a slope would be noise.
    private static let leastSpread = 0.01

    /// The mean time of the remembered batches; nil before the first.
    var usual: Duration? { weight > 0 ? .seconds(held / weight) : nil }

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

    /// How many rows fit into a batch that takes `target`. If the fixed part alone takes most of that, returns the rows
    /// that take as long as the fixed part, so that a batch is always worth its fixed cost.
    func rows(within target: Duration) -> Double { affordable(target) * rows }

    /// How many rows fit if every row had expired, assuming that only deleted rows cost time.
    func rows(ifAllExpired target: Duration) -> Double {
        deleted > 0 ? affordable(target) * deleted : .greatestFiniteMagnitude
    }

    /// How many times the row work of the remembered batches fits into `target`.
    private func affordable(_ target: Duration) -> Double {
        let work = held - fixed * weight
        return work > 0 ? max(target.seconds - fixed, fixed) / work : .greatestFiniteMagnitude
    }
}
