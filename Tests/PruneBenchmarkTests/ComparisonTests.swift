import Foundation
import TestSupport
import Testing

@testable import PruneBenchmark

@Suite struct ComparisonTests {
    private func series(_ program: String?, _ seconds: [Double], entry: String = "pruned") -> Series {
        let samples = seconds.map { seconds in
            Sample(
                usage: Usage(wallSeconds: seconds),
                report: nil, reclaim: nil, app: nil, logBytes: 0, fileBytes: 0, vacuumedBytes: nil)
        }
        return Series(row: "1", title: "half", entry: entry, program: program, samples: samples)
    }

    @Test("each build is compared with the first, by the medians of their runs")
    func ratios() {
        let findings = Finding.comparisons([
            series("old", [1, 2, 9]), series("new", [2.1, 1, 9]), series("newest", [3, 3, 3]),
        ])
        #expect(findings.map(\.value) == [1.05, 1.5])
        #expect(findings.map(\.verdict) == [.met, .missed])
    }

    @Test("one build, and those that do not run pruned, are compared with nothing")
    func nothing() {
        #expect(Finding.comparisons([series("new", [1]), series(nil, [1], entry: "A")]).isEmpty)
    }

    @Test("entries of one race are compared with themselves only")
    func entries() {
        let findings = Finding.comparisons([
            series("old", [1]), series("new", [2]), series("old", [4], entry: "--version"),
            series("new", [2], entry: "--version"),
        ])
        #expect(findings.map(\.value) == [2, 0.5])
        #expect(findings.map(\.what) == ["half", "half, --version"])
    }
}
