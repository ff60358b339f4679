/// An order of the numbers from 0 on in which something of everything comes soon, and each once; another one for each seed.
struct Permutation {
    private let count: Int
    private let step: Int

    init(of count: Int, seed: UInt64) {
        self.count = count
        // A step without a factor in common with their number visits each once.
        var step = count * 618 / 1_000 + Int(seed % 1_009)
        while Self.commonFactor(step, count) != 1 { step += 1 }
        self.step = step
    }

    subscript(index: Int) -> Int { index * step % count }

    private static func commonFactor(_ a: Int, _ b: Int) -> Int { b == 0 ? a : commonFactor(b, a % b) }
}
