import Testing

@testable import PruneBenchmark

@Suite struct StatisticsTests {
    @Test(
        "the median is the middle one in size, or halfway between the two in the middle",
        arguments: [([3.0], 3.0), ([5.0, 1.0, 2.0], 2.0), ([4.0, 1.0, 3.0, 2.0], 2.5)])
    func median(values: [Double], expected: Double) {
        #expect(values.median == expected)
    }

    @Test("of nothing there is no median, no largest and no smallest")
    func nothing() {
        let none: [Double] = []
        #expect(none.median.isNaN)
        #expect(none.largest.isNaN)
        #expect(none.smallest.isNaN)
    }
}
