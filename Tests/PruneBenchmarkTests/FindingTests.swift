import Testing

@testable import PruneBenchmark

@Suite struct FindingTests {
    @Test(
        "a target is met up to its limit, and by what is below where it says so",
        arguments: [
            (Target.atMost(1, "x A"), 1.0, true), (.atMost(1, "x A"), 1.001, false),
            (.below(1, "in 10 s"), 0.99, true), (.below(1, "in 10 s"), 1, false),
            (.atLeast(0.5, "x A"), 0.5, true), (.atLeast(0.5, "x A"), 0.49, false),
        ])
    func limits(target: Target, value: Double, isMet: Bool) {
        #expect(target.isMet(by: value) == isMet)
        #expect(Finding("1", "what", value, target, detail: "").verdict == (isMet ? .met : .missed))
    }

    @Test("what was not measured meets no target")
    func notMeasured() {
        #expect(Finding("1", "what", .nan, .atMost(1, "ms"), detail: "").verdict == .missed)
        #expect(Finding("1", "what", .nan, .atLeast(1, "ms"), detail: "").verdict == .missed)
    }

    @Test("what else happened may decide whether a target is met, whatever the figure is")
    func decided() {
        let stopped = Finding("8", "the log", 20, .atMost(16, "MB"), detail: "", decided: true)
        #expect(stopped.verdict == .met)
        let unfinished = Finding("6", "longest wait", 2, .atMost(10, "ms"), detail: "", decided: false)
        #expect(unfinished.verdict == .missed)
    }

    @Test("of a small store only those targets are judged that hold for it, too")
    func smallStore() {
        let time = Finding("1", "time", 2, .atMost(1, "x A"), detail: "")
        #expect(time.ofSmallStore.verdict == .notJudged)
        let bound = Finding("9", "memory", 50, .atMost(40, "MB"), detail: "", holdsForSmallStores: true)
        #expect(bound.ofSmallStore.verdict == .missed)
        let context = Finding("6", "noise", 1, .context("ms"), detail: "")
        #expect(context.ofSmallStore == context)
    }

    @Test("a table says where nothing was measured")
    func nothingInTable() {
        let findings = [Finding("10", "longest step", .nan, .atMost(10, "ms"), detail: "")]
        #expect(Table(findings: findings).description.contains("| nothing  | <= 10 ms | MISSED |"))
    }

    @Test("a table is Markdown whose columns stand below each other")
    func table() {
        let findings = [
            Finding("1", "3 million", 0.956, .atMost(1, "x A"), detail: "1.91 s : 2.00 s"),
            Finding("6", "longest wait", 12, .atMost(10, "ms"), detail: ""),
            Finding("6", "while nobody deletes", 0.25, .context("ms"), detail: "noise"),
        ]
        #expect(
            Table(findings: findings).description == """
                | # | what                 | measured | target     |        | of              |
                |---|----------------------|----------|------------|--------|-----------------|
                | 1 | 3 million            | 0.96 x A | <= 1.0 x A | met    | 1.91 s : 2.00 s |
                | 6 | longest wait         | 12.0 ms  | <= 10 ms   | MISSED |                 |
                | 6 | while nobody deletes | 0.2 ms   |            |        | noise           |

                """)
    }
}
