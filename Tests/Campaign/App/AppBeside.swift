/// Not built yet.
struct AppBeside: Part {
    static let name = "app"
    static let aim = Aim(points: 900000, unit: "transactions")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
