import Testing

@testable import PostgreSQLPruning

@Suite("The smallest batch")
struct PageUnitTests {
    private let limit = Duration.milliseconds(25)

    @Test("A smallest batch that takes too long is halved while that helps")
    func halved() {
        var unit = PageUnit()
        for pages in [8, 4, 2, 1] as [Int64] {
            unit.learn(.milliseconds(30) * Double(pages), isSmallest: true, limit: limit)
            #expect(unit.pages == pages)
        }
    }

    @Test("Where half the pages take as long, the size before is kept")
    func floor() {
        var unit = PageUnit()
        unit.learn(.milliseconds(40), isSmallest: true, limit: limit)
        unit.learn(.milliseconds(38), isSmallest: true, limit: limit)
        #expect(unit.pages == PageUnit.most)
        unit.learn(.milliseconds(200), isSmallest: true, limit: limit)
        unit.shrink()
        #expect(unit.pages == PageUnit.most)
    }

    @Test("A larger batch says nothing about the smallest")
    func larger() {
        var unit = PageUnit()
        unit.learn(.milliseconds(90), isSmallest: false, limit: limit)
        #expect(unit == PageUnit())
    }

    @Test("A batch that was interrupted is much too large")
    func interrupted() {
        var unit = PageUnit()
        unit.shrink()
        #expect(unit.pages == 4)
        unit.shrink()
        unit.shrink()
        #expect(unit.pages == 1)
    }
}
