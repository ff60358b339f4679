/// Not built yet.
struct RandomRules: Part {
    static let name = "rules"
    static let aim = Aim(points: 90000, unit: "runs")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
