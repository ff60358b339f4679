import Synchronization

/// An app writes random transactions to its SQLite store while runs prune it, are killed, and the service does.
final class AppBeside: Part {
    static let name = "app"
    static let aim = Aim(points: 900000, unit: "transactions")
    static let sliceSeconds: Double? = 15
    private let setting: Setting
    private let total = Mutex(AppFigures())

    init(_ setting: Setting) { self.setting = setting }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let attempted = try FileCase(setting.pruned, using: setting.generator(number), in: directory)
        let findings = try attempted.run(rounds: setting.isSlice ? 4 : 10)
        let text = total.withLock { total in
            total += attempted.figures
            return total.text
        }
        return Attempt(
            points: attempted.figures.transactions, findings: findings, remark: "so far \(text)")
    }
}
