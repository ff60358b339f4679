import Testing

@testable import PruneBenchmark

@Suite struct StatisticsTests {
    @Test(
        "the median is the middle one in size, or between the two in the middle",
        arguments: [
            ([3.0], 3.0), ([5, 1, 2], 2), ([4, 1, 3, 2], 2.5),
        ])
    func median(values: [Double], expected: Double) {
        #expect(values.median == expected)
    }
}
