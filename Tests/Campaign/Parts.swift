/// All parts of the campaign, in the order in which they run.
enum Parts {
    static let all: [any Part.Type] = [
        SampleAttack.self
    ]
}
