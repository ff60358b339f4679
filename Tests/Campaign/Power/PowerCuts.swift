/// Not built yet.
struct PowerCuts: Part {
    static let name = "power"
    static let aim = Aim(points: 200, unit: "cuts")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
