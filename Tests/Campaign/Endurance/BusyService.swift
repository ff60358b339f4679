/// Not built yet.
struct BusyService: Part {
    static let name = "endurance"
    static let aim = Aim(points: 1, unit: "service hours")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
