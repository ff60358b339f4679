/// Not built yet.
struct WriteFaults: Part {
    static let name = "writes"
    static let aim = Aim(points: 10000, unit: "calls failed")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
