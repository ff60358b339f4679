/// Only shows that the program starts.
struct SampleAttack: Part {
    static let name = "sample"
    private let setting: Setting
    init(_ setting: Setting) { self.setting = setting }

    func attempt(_ number: Int, in directory: String) throws -> Attempt {
        let run = try spawn([setting.pruned, "--version"], in: directory)
        return Attempt(findings: run.status == 0 ? [] : [run.description])
    }
}
