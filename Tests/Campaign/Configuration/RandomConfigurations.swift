/// Not built yet.
struct RandomConfigurations: Part {
    static let name = "configuration"
    static let aim = Aim(points: 100000, unit: "mutants")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
