import Foundation

/// Every call that changes, syncs or locks a file is failed, shortened, delayed and killed at, one after the other.
struct WriteFaults: Part {
    static let name = "writes"
    static let aim = Aim(points: 10000, unit: "calls failed")
    static let workers = 4
    static let sliceSeconds: Double? = 8

    private let setting: Setting
    private let templates: [Template]
    private var space: PointSpace

    init(_ setting: Setting) throws {
        self.setting = setting
        templates = try Operation.all.map { try Template($0, setting) }
        space = PointSpace(seed: setting.seed)
        for template in templates {
            let most = template.operation.most
            for way in FaultPoint.Way.allCases where way != .noMemory {
                let kind = way == .short ? FaultPoint.Kind.writes : .calls
                let count = way == .short ? most.writes : most.calls
                space.add(template, kind, way, goesOn: false, count: count)
            }
            for way in [FaultPoint.Way.inputOutput, .noSpace, .quota] {
                space.add(template, .calls, way, goesOn: true, count: most.calls)
            }
        }
    }

    var cases: Int? { space.count + space.count / Self.perCount + 1 }

    /// Each case with a multiple of this number counts an operation's calls instead.
    private static let perCount = 100

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let (counts, rest) = number.quotientAndRemainder(dividingBy: Self.perCount)
        if rest == 0 {
            return try CallCount(
                template: templates[counts % templates.count], isTimed: !setting.isSlice,
                directory: directory
            ).attempt()
        }
        let (template, point) = space.point(number - counts - 1)
        let trial = Trial(template: template, point: point, directory: directory)
        return try trial.attempt(looksFirst: number % 2 == 0)
    }
}
