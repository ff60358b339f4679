/// Not built yet.
struct AllocationFaults: Part {
    static let name = "allocations"
    static let aim = Aim(points: 5000, unit: "allocations failed")
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }
    var cases: Int? { 0 }
    func attempt(_ number: Int, in directory: String) throws -> Attempt { Attempt() }
}
