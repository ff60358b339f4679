import Foundation
import TestSupport

/// The same on a server: one database with many tables, each with a rule.
struct RandomServerRules<Kind: ServerKind>: Part {
    static var name: String { "\(Kind.name)-rules" }
    static var aim: Aim { Aim(points: 10_000, unit: "runs of rules") }
    static var sliceSeconds: Double? { 10 }
    static var missing: String? { Kind.missing }
    private static var rules: Int { 16 }
    private let setting: Setting

    init(_ setting: Setting) throws {
        self.setting = setting
        try Kind.start()
        _ = RunMoment.zones
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        var random = SampleRandom(setting.generator(number))
        // A clock that is ahead of the server's is not believed.
        let latest = max(RunMoment.earliest, Int64(Date().timeIntervalSince1970) - 86_400)
        let moment = RunMoment(before: latest, &random)
        let database = try Kind.makeDatabase()
        let connection = try database.connect()
        var entries: [RuleTrial.Entry] = []
        for place in 0..<Self.rules {
            // In MariaDB a database is one schema.
            let schema = Kind.store == .postgreSQL ? "s\(place)" : nil
            let sample = RuleSample(
                at: moment, in: Kind.store, schema: schema, prefix: schema == nil ? "x\(place)_" : "",
                &random)
            try connection.execute(sample.sql(for: database.role))
            entries.append(
                RuleTrial.Entry(
                    name: "r\(place)", store: "s", sample: sample,
                    content: ServerSample(sample, in: connection)))
        }
        let store = "[store.s]\nurl = \(RuleSample.text(database.url))\n"
        var trial = try RuleTrial(entries, stores: store, at: moment, in: directory, setting)
        try trial.run(&random)
        return Attempt(points: entries.count, findings: trial.findings)
    }
}
