import TestSupport

/// The bytes of a file of SQLite's, and ways to damage them.
struct Mutation {
    var bytes: [UInt8]
    let pageSize: Int
    var generator: SeededGenerator

    /// Damages the bytes in one to three ways.
    mutating func mutate() {
        for _ in 0..<[1, 1, 1, 1, 2, 3][below(6)] where !bytes.isEmpty { mutateOnce() }
    }

    private mutating func mutateOnce() {
        switch below(16) {
        case 0: flipBits(in: 0..<bytes.count)
        case 1: flipBits(in: placeInUse())
        case 2: overwriteRun()
        case 3: swapPages()
        case 4: fill(page(), with: 0)
        case 5: copyPage(page(), over: page())
        case 6: cut()
        case 7: extend()
        case 8: damageFileHeader()
        case 9: damagePageHeader()
        case 10: damageCellPointer()
        case 11, 12: damageCell()
        case 13: pointToPage()
        case 14: damageFreelist()
        default: damageSchema()
        }
    }

    // MARK: - Anything

    private mutating func flipBits(in range: Range<Int>) {
        for _ in 0..<(below(4) == 0 ? 1 + below(8) : 1) {
            let place = range.lowerBound + below(range.count)
            bytes[place] ^= 1 << UInt8(below(8))
        }
    }

    private mutating func overwriteRun() {
        let start = below(bytes.count)
        let way = below(3)
        for place in start..<min(bytes.count, start + 1 + below(64)) {
            bytes[place] = way == 0 ? 0 : way == 1 ? 0xFF : UInt8(below(256))
        }
    }

    private mutating func cut() {
        let left = below(2) == 0 ? page().lowerBound : below(bytes.count)
        bytes.removeLast(bytes.count - left)
    }

    private mutating func extend() {
        let more = below(2) == 0 ? pageSize * (1 + below(3)) : 1 + below(pageSize)
        let copied = page()
        for place in 0..<more {
            bytes.append(
                copied.count > place && more.isMultiple(of: pageSize) ? bytes[copied.lowerBound + place] : 0)
        }
    }

    // MARK: - Pages

    private mutating func swapPages() {
        let (one, other) = (page(), page())
        for place in 0..<min(one.count, other.count) {
            bytes.swapAt(one.lowerBound + place, other.lowerBound + place)
        }
    }

    private mutating func copyPage(_ one: Range<Int>, over other: Range<Int>) {
        for place in 0..<min(one.count, other.count) {
            bytes[other.lowerBound + place] = bytes[one.lowerBound + place]
        }
    }

    private mutating func fill(_ range: Range<Int>, with byte: UInt8) {
        for place in range { bytes[place] = byte }
    }

    private mutating func damagePageHeader() {
        let start = header(of: page())
        let place = start + below(12)
        guard place < bytes.count else { return }
        bytes[place] = below(2) == 0 ? UInt8(below(256)) : [0, 1, 2, 5, 10, 13, 0xFF][below(7)]
    }

    private mutating func damageCellPointer() {
        let pointers = cellPointers(of: page())
        guard !pointers.isEmpty else { return }
        let place = pointers[below(pointers.count)]
        if below(3) == 0 {
            let other = pointers[below(pointers.count)]
            (bytes[place], bytes[place + 1]) = (bytes[other], bytes[other + 1])
        } else {
            bytes[place + below(2)] = UInt8(below(256))
        }
    }

    /// Changes the beginning of a cell: child, payload's length, key, and the header of its record.
    private mutating func damageCell() {
        let page = page()
        let pointers = cellPointers(of: page)
        guard !pointers.isEmpty else { return }
        let cell = page.lowerBound + number(2, at: pointers[below(pointers.count)]) + below(14)
        guard cell < bytes.count else { return }
        bytes[cell] = below(2) == 0 ? UInt8(below(256)) : bytes[cell] ^ 1 << UInt8(below(8))
    }

    /// Leads an inner page to another child, or a last overflow page on.
    private mutating func pointToPage() {
        let pages = (0..<bytes.count / pageSize).map { $0 * pageSize..<($0 + 1) * pageSize }
        let inner = pages.filter { [2, 5].contains(bytes[header(of: $0)]) }
        guard !inner.isEmpty, below(5) > 0 else {
            return set(UInt32(below(pages.count + 2)), at: page().lowerBound)
        }
        let chosen = inner[below(inner.count)]
        let cells = cellPointers(of: chosen).map { chosen.lowerBound + number(2, at: $0) }
        let places = cells + [header(of: chosen) + 8]
        set(UInt32(below(pages.count + 2)), at: places[below(places.count)])
    }

    private mutating func damageFreelist() {
        let pages = UInt32(bytes.count / pageSize)
        let trunk = bytes.count > 100 ? (number(4, at: 32) - 1) * pageSize : 0
        guard trunk > 0, trunk + 64 < bytes.count, below(2) == 0 else {
            return set(UInt32(below(Int(pages) + 1)), at: [32, 36][below(2)])
        }
        set(UInt32(below(Int(pages) + 1)), at: trunk + 4 * below(8))
    }

    private mutating func damageFileHeader() {
        let fields = [
            16, 17, 18, 19, 20, 21, 24, 28, 31, 32, 35, 36, 39, 40, 44, 47, 52, 55, 56, 59, 62, 64, 67, 92,
            96,
        ]
        let place = below(3) == 0 ? below(100) : fields[below(fields.count)]
        guard place < bytes.count else { return }
        bytes[place] = below(2) == 0 ? UInt8(below(256)) : UInt8(below(6))
    }

    /// Writes another letter, digit or bracket into the statements of the schema.
    private mutating func damageSchema() {
        let texts = (min(100, bytes.count)..<min(pageSize, bytes.count)).filter {
            (0x20..<0x7F).contains(bytes[$0])
        }
        guard !texts.isEmpty else { return }
        bytes[texts[below(texts.count)]] = Array("abtxi_ 019(),'\"-*".utf8)[below(17)]
    }

    // MARK: - Where

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<max(1, bound), using: &generator) }

    private mutating func page() -> Range<Int> {
        let start = below((bytes.count + pageSize - 1) / pageSize) * pageSize
        return start..<min(start + pageSize, bytes.count)
    }

    /// A byte that is not zero, or follows one that is not.
    private mutating func placeInUse() -> Range<Int> {
        let start = below(bytes.count)
        let place = bytes[start...].firstIndex { $0 != 0 } ?? start
        return place..<min(place + 2, bytes.count)
    }

    private func header(of page: Range<Int>) -> Int {
        page.lowerBound + (page.lowerBound == 0 ? min(100, max(0, page.count - 1)) : 0)
    }

    private func cellPointers(of page: Range<Int>) -> [Int] {
        let start = header(of: page)
        guard start + 12 < page.upperBound else { return [] }
        let first = start + ([2, 5].contains(bytes[start]) ? 12 : 8)
        let count = min(number(2, at: start + 3), (page.upperBound - first) / 2)
        return (0..<max(0, count)).map { first + 2 * $0 }
    }

    private func number(_ length: Int, at place: Int) -> Int {
        guard place + length <= bytes.count else { return 0 }
        return bytes[place..<place + length].reduce(0) { $0 << 8 | Int($1) }
    }

    private mutating func set(_ value: UInt32, at place: Int) {
        guard place + 4 <= bytes.count else { return }
        for byte in 0..<4 { bytes[place + byte] = UInt8(truncatingIfNeeded: value >> UInt32(24 - 8 * byte)) }
    }
}
