/// Not built yet.
struct RandomServerRules: Part {
    static let name = "server-rules"
    static let aim = Aim(points: 10000, unit: "runs")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
