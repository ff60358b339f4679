/// All points of some operations, in an order in which each part of it has points of every operation, way and time.
struct PointSpace {
    /// The points that differ only in their number.
    private struct Stretch {
        let template: Template
        let point: FaultPoint
        let count: Int
    }

    private var stretches: [Stretch] = []
    private let seed: UInt64
    /// How many there are; not all are reached.
    private(set) var count = 0

    init(seed: UInt64) { self.seed = seed }

    /// Adds the points from 1 to `count` which are like `point`.
    mutating func add(
        _ template: Template, _ kind: FaultPoint.Kind, _ way: FaultPoint.Way, goesOn: Bool, count: Int
    ) {
        let point = FaultPoint(kind: kind, number: 0, way: way, goesOn: goesOn)
        stretches.append(Stretch(template: template, point: point, count: count))
        self.count += count
    }

    /// Which point is tried as number `index`. A prime as step visits each once, far from the last one.
    func point(_ index: Int) -> (template: Template, point: FaultPoint) {
        let step: UInt64 = 2_654_435_761
        var rest = Int((UInt64(index) &* step &+ seed &* 7919) % UInt64(count))
        for stretch in stretches {
            if rest < stretch.count {
                let point = stretch.point
                return (
                    stretch.template,
                    FaultPoint(kind: point.kind, number: rest + 1, way: point.way, goesOn: point.goesOn)
                )
            }
            rest -= stretch.count
        }
        preconditionFailure("index \(index) of \(count)")
    }
}
