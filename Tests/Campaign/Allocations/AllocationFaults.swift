/// Each allocation fails once, and from then on.
///
/// The Swift runtime aborts where it gets no memory. So after one of its own allocations the program may crash, if that
/// leaves nothing behind; after one of SQLite's it may not.
struct AllocationFaults: Part {
    static let name = "allocations"
    static let aim = Aim(points: 5000, unit: "allocations failed")
    static let workers = 4
    static let sliceSeconds: Double? = 8

    private var space: PointSpace

    init(_ setting: Setting) throws {
        space = PointSpace(seed: setting.seed)
        for operation in Operation.all {
            let template = try Template(operation, setting)
            for goesOn in [false, true] {
                space.add(template, .sqlite, .noMemory, goesOn: goesOn, count: operation.most.sqlite)
                space.add(template, .others, .noMemory, goesOn: goesOn, count: operation.most.others)
                space.add(template, .archive, .noMemory, goesOn: goesOn, count: operation.most.archive)
                space.add(template, .ledger, .noMemory, goesOn: goesOn, count: operation.most.ledger)
            }
        }
    }

    var cases: Int? { space.count }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let (template, point) = space.point(number)
        let trial = Trial(
            template: template, point: point, mayCrash: point.kind == .others, directory: directory)
        return try trial.attempt(looksFirst: number % 2 == 0)
    }
}
