/// Not built yet.
struct ClockSteps: Part {
    static let name = "clock"
    static let aim = Aim(points: 1, unit: "clock steps")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
