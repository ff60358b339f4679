import Pruning
import Testing

struct FreeSpaceTests {
    private func space(of pages: Int64, free: Int64, pageBytes: Int64) -> FreeSpace {
        FreeSpace(bytes: pages * pageBytes, freeBytes: free * pageBytes, unitBytes: pageBytes)
    }

    @Test(
        "free pages are worth giving back when they are more than a twentieth of the file, and 256 at least",
        arguments: [
            (0, 0, false), (1_000, 0, false), (300, 255, false), (300, 256, true), (5_120, 256, false),
            (5_100, 256, true), (100_000, 5_000, false), (100_000, 5_001, true), (100_000, 100_000, true),
        ] as [(Int64, Int64, Bool)])
    func worth(pages: Int64, free: Int64, isWorth: Bool) {
        #expect(space(of: pages, free: free, pageBytes: 4_096).isWorthReclaiming == isWorth)
    }

    @Test("what is left to the app makes the file no tenth larger than it need be")
    func bound() {
        for pages in [10_000, 1_000_000] as [Int64] {
            let most = (0...pages).last {
                !space(of: pages, free: $0, pageBytes: 512).isWorthReclaiming
            }
            let left = most ?? 0
            #expect(left > 0 && Double(pages) / Double(pages - left) < 1.06)
        }
    }

    @Test(
        "VACUUM is proposed where a large share is free: it writes what is used twice",
        arguments: [
            (2_000_000_000, 1_400_000_000, 70, 1_200_000_000, 12),
            (20_000_000, 8_000_000, 40, 24_000_000, 1),
            (20_000_000, 7_999_999, nil, 0, 0),
            (1_000_000_000, 300_000_000, nil, 0, 0),
            (9_000_000, 9_000_000, 100, 0, 1),
        ] as [(Int64, Int64, Int?, Int64, Int)])
    func vacuum(bytes: Int64, free: Int64, percent: Int?, written: Int64, seconds: Int) {
        let found = FreeSpace(bytes: bytes, freeBytes: free, unitBytes: 4_096).vacuum
        #expect(found?.freePercent == percent)
        guard percent != nil else { return }
        #expect(found?.bytes == written && found?.duration == .seconds(seconds))
    }
}
