import TestSupport

/// The same with an app on a server, with locks, long transactions and ended connections.
struct ServerAppBeside<Kind: ServerKind>: Part {
    static var name: String { "\(Kind.name)-app" }
    static var aim: Aim { Aim(points: 100000, unit: "transactions") }
    static var sliceSeconds: Double? { 8 }
    static var workers: Int { 4 }
    static var missing: String? { Kind.missing }
    private let setting: Setting
    private let total = AppTotal()

    init(_ setting: Setting) throws {
        self.setting = setting
        try Kind.start()
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        var generator = setting.generator(number)
        let app = try ServerApp<Kind>(using: SeededGenerator(seed: generator.next()))
        return total.add(
            try AppCase(app, setting.pruned, using: generator, in: directory)
                .attempt(rounds: setting.isSlice ? 4 : 10))
    }
}
