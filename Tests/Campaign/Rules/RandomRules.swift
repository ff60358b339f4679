/// Random tables with random rules, in SQLite, judged row by row by what the words of the rule language mean.
struct RandomRules: Part {
    static let name = "rules"
    static let aim = Aim(points: 90_000, unit: "runs of rules")
    static let sliceSeconds: Double? = 15
    private static let stores = 8
    private static let latest = RunMoment.earliest + 3 * 366 * 86_400
    private let setting: Setting

    init(_ setting: Setting) {
        self.setting = setting
        _ = RunMoment.zones
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        var random = SampleRandom(setting.generator(number))
        let moment = RunMoment(before: Self.latest, &random)
        let entries = try (0..<Self.stores).map { index in
            let sample = RuleSample(at: moment, &random)
            let path = directory + "/s\(index).db"
            return RuleTrial.Entry(
                name: "r\(index)", store: "s\(index)", sample: sample,
                content: try SQLiteSample(sample, at: path))
        }
        let stores = (0..<Self.stores).map { "[store.s\($0)]\npath = \"\(directory)/s\($0).db\"\n" }
        var trial = try RuleTrial(
            entries, stores: stores.joined(), at: moment, in: directory, setting)
        try trial.run(&random)
        return Attempt(points: Self.stores, findings: trial.findings)
    }
}
