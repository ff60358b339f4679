/// Not built yet.
struct TimeZones: Part {
    static let name = "zones"
    static let aim = Aim(points: 1, unit: "zones")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
