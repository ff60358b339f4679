import TestSupport

/// An app writes random transactions to its SQLite store while runs prune it, are killed, and the service does.
struct AppBeside: Part {
    static let name = "app"
    static let aim = Aim(points: 900000, unit: "transactions")
    static let sliceSeconds: Double? = 8
    // The app and the runs wait for each other most of the time.
    static let workers = 4
    private let setting: Setting
    private let total = AppTotal()

    init(_ setting: Setting) { self.setting = setting }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        var generator = setting.generator(number)
        let app = try FileApp(directory + "/app.sqlite", using: SeededGenerator(seed: generator.next()))
        return total.add(
            try AppCase(app, setting.pruned, using: generator, in: directory)
                .attempt(rounds: setting.isSlice ? 4 : 10))
    }
}
