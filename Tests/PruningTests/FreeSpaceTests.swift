import Pruning
import Testing

struct FreeSpaceTests {
    @Test(
        "free pages are worth giving back when they are more than a twentieth of the file, and 256 at least",
        arguments: [
            (0, 0, false), (1_000, 0, false), (300, 255, false), (300, 256, true), (5_120, 256, false),
            (5_100, 256, true), (100_000, 5_000, false), (100_000, 5_001, true), (100_000, 100_000, true),
        ] as [(Int64, Int64, Bool)])
    func worth(pages: Int64, free: Int64, isWorth: Bool) {
        #expect(FreeSpace(pageBytes: 4_096, pages: pages, free: free).isWorthReclaiming == isWorth)
    }

    @Test("what is left to the app makes the file no tenth larger than it need be")
    func bound() {
        for pages in [10_000, 1_000_000] as [Int64] {
            let most = (0...pages).last {
                !FreeSpace(pageBytes: 512, pages: pages, free: $0).isWorthReclaiming
            }
            let left = most ?? 0
            #expect(left > 0 && Double(pages) / Double(pages - left) < 1.06)
        }
    }
}
