/// One way to attack the program: cases that follow from a seed and their numbers alone.
///
/// Cases run side by side, each in a directory of its own.
protocol Part: Sendable {
    /// What it is called on the command line.
    static var name: String { get }
    /// How many points it is to try at least, and what a point is: "calls failed".
    static var aim: Aim { get }
    /// How many seconds it gets in the slice that `make test` runs; nil when it is not in it.
    static var sliceSeconds: Double? { get }
    /// How many cases run side by side.
    static var workers: Int { get }

    /// What this machine lacks for it, such as "root"; nil when it can be tried.
    static var missing: String? { get }

    /// Makes what all cases share.
    init(_ setting: Setting) throws

    /// How many cases there are; nil when random numbers make as many as there is time for.
    var cases: Int? { get }

    /// Tries one case in `directory`, which is empty.
    ///
    /// Throws only when the case could not be tried; that counts as a finding, too.
    func attempt(_ number: Int, in directory: String) throws -> Attempt
}

/// The figure that a part is to reach.
struct Aim {
    let points: Int
    /// What is counted, in the plural.
    let unit: String
}

/// What came of one case.
struct Attempt {
    /// How many points it tried: what a part's figure counts.
    var points = 1
    /// What is wrong, each a sentence; none when all is well.
    var findings: [String] = []
    /// What kind of points it tried; the result counts each kind apart.
    var kind: String?
    /// A figure that was measured, to be printed.
    var remark: String?
}

extension Part {
    static var sliceSeconds: Double? { 10 }
    static var workers: Int { 2 }
    static var missing: String? { nil }
    var cases: Int? { nil }
}
