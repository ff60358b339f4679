/// Not built yet.
struct CutConnections: Part {
    static let name = "network"
    static let aim = Aim(points: 1, unit: "messages")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
