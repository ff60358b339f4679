/// Random tables with random rules, in SQLite, judged row by row by what the words of the rule language mean.
struct RandomRules: Part {
    static let name = "rules"
    static let aim = Aim(points: 90_000, unit: "runs of rules")
    static let sliceSeconds: Double? = 10
    private static let stores = 3
    /// In each store.
    private static let rules = 8
    private static let latest = RunMoment.earliest + 3 * 366 * 86_400
    private let setting: Setting

    init(_ setting: Setting) {
        self.setting = setting
        _ = RunMoment.zones
    }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        var random = SampleRandom(setting.generator(number))
        if number % 4 == 3 {
            return try RuleSetTrial(setting: setting, directory: directory).attempt(&random)
        }
        let moment = RunMoment(before: Self.latest, &random)
        var (entries, stores) = ([RuleTrial.Entry](), "")
        for store in 0..<Self.stores {
            let (path, format) = ("\(directory)/s\(store).db", FileFormat(&random))
            let file = try StoreFile(path)
            try file.execute(format.sql + "PRAGMA synchronous = OFF; BEGIN")
            for place in 0..<Self.rules {
                let sample = RuleSample(
                    at: moment, in: .file, mayArchive: format.isUTF8,
                    prefix: place == 0 ? "" : "x\(place)_", &random)
                try file.execute(sample.sqlite)
                entries.append(
                    RuleTrial.Entry(
                        name: "r\(store)\(place)", store: "s\(store)", sample: sample,
                        content: SQLiteSample(sample, in: file)))
            }
            try file.execute("COMMIT")
            stores += "[store.s\(store)]\npath = \"\(path)\"\n"
        }
        var trial = try RuleTrial(
            entries, stores: stores, at: moment, in: directory, setting)
        try trial.run(&random)
        return Attempt(points: entries.count, findings: trial.findings)
    }
}
