/// Counts what was taken from a collection.
struct CountingIterator<Base: Collection>: IteratorProtocol {
    private var base: Base.Iterator
    private(set) var count = 0

    init(_ base: Base) { self.base = base.makeIterator() }

    mutating func next() -> Base.Element? {
        defer { count += 1 }
        return base.next()
    }
}
