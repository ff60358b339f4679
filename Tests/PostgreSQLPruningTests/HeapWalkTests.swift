import Testing

@testable import PostgreSQLPruning

@Suite("The walk over the pages of a table and its partitions")
struct HeapWalkTests {
    /// The ranges of a walk whose ranges in `locked` miss rows at the first visit.
    private func visits(_ walk: HeapWalk, of size: Int, locked: Set<Int64> = []) -> [HeapWalk.Range] {
        var walk = walk
        var visits: [HeapWalk.Range] = []
        while !walk.isOver, let range = walk.next(size), visits.count < 100 {
            let isFirst = !visits.contains(range)
            visits.append(range)
            walk.pass(range, missedRows: isFirst && !locked.isDisjoint(with: range.pages))
        }
        return visits
    }

    @Test("Every page is visited once, in order", arguments: [1, 2, 3, 7, 100])
    func once(size: Int) {
        let visits = visits(HeapWalk(pages: [5, 0, 7, 1]), of: size)
        let pages = visits.flatMap { range in range.pages.map { "\(range.leaf):\($0)" } }
        let all = [(0, 5), (2, 7), (3, 1)].flatMap { leaf, count in (0..<count).map { "\(leaf):\($0)" } }
        #expect(pages == all)
        #expect(visits.allSatisfy { $0.pages.count <= size })
    }

    @Test("A walk backwards visits the same pages from the last to the first, and turns when it begins anew")
    func backwards() {
        var walk = HeapWalk(pages: [5, 0, 3], isBackwards: true)
        #expect(visits(walk, of: 2).map(\.leaf) == [2, 2, 0, 0, 0])
        #expect(visits(walk, of: 2).map(\.pages) == [1..<3, 0..<1, 3..<5, 1..<3, 0..<1])
        walk.restart()
        #expect(visits(walk, of: 2).map(\.pages) == [0..<2, 2..<4, 4..<5, 0..<2, 2..<3])
    }

    @Test("Ranges with locked rows are visited once more, at the end")
    func missed() {
        let visits = visits(HeapWalk(pages: [6]), of: 2, locked: [0, 5])
        #expect(visits.map(\.pages) == [0..<2, 2..<4, 4..<6, 0..<2, 4..<6])
    }

    @Test("Empty tables have no range")
    func empty() {
        let walk = HeapWalk(pages: [0, 0])
        #expect(walk.isOver)
        #expect(walk.next(3) == nil)
    }

    @Test("A table that goes as a whole is left out")
    func leftOut() {
        var walk = HeapWalk(pages: [2, 2, 2])
        walk.leaveOut(0)
        walk.leaveOut(1)
        #expect(visits(walk, of: 5).map(\.leaf) == [2])
    }

    @Test("A range begins at its first page and ends before the page after it")
    func bounds() {
        #expect(HeapWalk.Range(leaf: 0, pages: 3..<10).bounds == ["(3,0)", "(10,0)"])
    }
}
