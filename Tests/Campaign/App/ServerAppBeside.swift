import TestSupport

/// The same with an app on a PostgreSQL server, with locks, long transactions and ended connections.
struct ServerAppBeside: Part {
    static let name = "server-app"
    static let aim = Aim(points: 100000, unit: "transactions")
    static let sliceSeconds: Double? = 8
    static let workers = 4
    static var missing: String? { PostgreSQLPrograms.installed == nil ? "PostgreSQL" : nil }
    private let setting: Setting
    private let server: PostgreSQLServer
    private let total = AppTotal()

    init(_ setting: Setting) throws {
        self.setting = setting
        var configuration = PostgreSQLConfiguration()
        configuration.dataDirectory = "/dev/shm"
        server = try PostgreSQLServer.start(configuration: configuration)
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        var generator = setting.generator(number)
        let app = try ServerApp(on: server, using: SeededGenerator(seed: generator.next()))
        return total.add(
            try AppCase(app, setting.pruned, using: generator, in: directory)
                .attempt(rounds: setting.isSlice ? 4 : 10))
    }
}
