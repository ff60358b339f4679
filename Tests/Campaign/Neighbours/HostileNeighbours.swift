/// Not built yet.
struct HostileNeighbours: Part {
    static let name = "neighbours"
    static let aim = Aim(points: 1, unit: "file operations")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
