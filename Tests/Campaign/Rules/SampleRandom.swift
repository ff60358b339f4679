import TestSupport

/// Random choices.
struct SampleRandom {
    private var generator: SeededGenerator

    init(_ generator: SeededGenerator) { self.generator = generator }

    mutating func chance(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }
    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }
    mutating func number(_ range: ClosedRange<Int64>) -> Int64 { Int64.random(in: range, using: &generator) }
    mutating func pick<Value>(_ values: Value...) -> Value { pick(values) }

    /// One of `values`, which are not empty.
    mutating func pick<Value>(_ values: some RandomAccessCollection<Value>) -> Value {
        let place = Int.random(in: 0..<values.count, using: &generator)
        return values[values.index(values.startIndex, offsetBy: place)]
    }
}
