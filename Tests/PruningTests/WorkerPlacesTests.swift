import Testing

@testable import Pruning

/// How many stores are worked on at once.
struct WorkerPlacesTests {
    /// Places where a worker began at each of `begun`, in seconds.
    private func places(_ workers: Int, _ begun: [Int]) -> WorkerPlaces {
        var places = WorkerPlaces(workers: workers)
        for second in begun { _ = places.begin(at: .seconds(second)) }
        return places
    }

    @Test(
        "a store waits for a place until a worker ends, or no longer counts after 30 s; never are there more than 32",
        arguments: [
            (2, [], 0, nil), (2, [0], 0, nil), (2, [0, 0], 0, 30), (2, [0, 5], 10, 20), (2, [5, 0], 10, 20),
            (2, [0, 5], 30, nil), (2, [0, 5, 30], 31, 4), (1, [0], 29, 1), (1, [0], 1_000, nil),
            (32, [Int](repeating: 0, count: 31), 0, nil), (32, [Int](repeating: 0, count: 32), 0, 30),
            (8, [Int](repeating: 0, count: 32), 1_000, 30),
        ] as [(Int, [Int], Int, Int?)])
    func wait(workers: Int, begun: [Int], now: Int, expected: Int?) {
        #expect(places(workers, begun).wait(at: .seconds(now)) == expected.map { .seconds($0) })
    }

    @Test("a worker that ends leaves its place, whichever it is", arguments: [0, 1])
    func end(index: Int) {
        var places = WorkerPlaces(workers: 2)
        let workers = [places.begin(at: .zero), places.begin(at: .seconds(1))]
        places.end(workers[index])
        #expect(places.wait(at: .seconds(2)) == nil)
        _ = places.begin(at: .seconds(2))
        #expect(places.wait(at: .seconds(2)) != nil)
    }
}
