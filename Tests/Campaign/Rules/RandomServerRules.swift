import Foundation
import TestSupport

/// The same in PostgreSQL: many schemas of one database, each with a table and a rule.
struct RandomServerRules: Part {
    static let name = "server-rules"
    static let aim = Aim(points: 10_000, unit: "runs of rules")
    static let sliceSeconds: Double? = 10
    static var missing: String? { PostgreSQLPrograms.installed == nil ? "PostgreSQL" : nil }
    private static let rules = 16
    private let setting: Setting
    private let server: PostgreSQLServer
    private let role: String

    init(_ setting: Setting) throws {
        self.setting = setting
        server = try PostgreSQLServer.shared
        role = try server.createRole()
        _ = RunMoment.zones
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        var random = SampleRandom(setting.generator(number))
        // A clock that is ahead of the server's is not believed.
        let latest = max(RunMoment.earliest, Int64(Date().timeIntervalSince1970) - 86_400)
        let moment = RunMoment(before: latest, &random)
        let samples = (0..<Self.rules).map { place in
            RuleSample(at: moment, in: nil, schema: "s\(place)", &random)
        }
        let database = try server.createDatabase(
            samples.map { $0.postgreSQL(for: role) }.joined(separator: "\n"))
        let entries = samples.enumerated().map { place, sample in
            RuleTrial.Entry(
                name: "r\(place)", store: "s", sample: sample,
                content: PostgreSQLSample(sample, in: database))
        }
        let store = "[store.s]\nurl = \(RuleSample.text(database.url(user: role)))\n"
        var trial = try RuleTrial(entries, stores: store, at: moment, in: directory, setting)
        try trial.run(&random)
        return Attempt(points: entries.count, findings: trial.findings)
    }
}
