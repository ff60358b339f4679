import Foundation

/// What happened to a disk, in its order.
struct Recording {
    enum Entry {
        /// `length` bytes at `offset` of the disk, which stand at `place` in the log.
        case write(offset: Int, length: Int, place: Int)
        /// All that was written before is safe.
        case flush
        case mark(Mark)
    }

    let entries: [Entry]
    private let log: Data

    /// Reads what the program `Disk` wrote to `path`.
    init(of path: String) throws {
        log = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)
        var entries: [Entry] = []
        var place = 0
        while place + 24 <= log.count {
            let (kind, length, offset) = (
                log.number(at: place), log.number(at: place + 8), log.number(at: place + 16)
            )
            place += 24
            switch kind {
            case 1: entries.append(.write(offset: offset, length: length, place: place))
            case 2: entries.append(.flush)
            default:
                entries.append(.mark(try JSONDecoder().decode(Mark.self, from: log[place..<place + length])))
            }
            place += length
        }
        self.entries = entries
    }

    /// The marks before the cut; all without one.
    func marks(before end: Int? = nil) -> [Mark] {
        entries[..<(end ?? entries.count)].compactMap { if case .mark(let mark) = $0 { mark } else { nil } }
    }

    /// The first entry behind the first mark that is `mark`.
    func place(of wanted: Mark) -> Int? {
        entries.firstIndex { if case .mark(wanted) = $0 { true } else { false } }.map { $0 + 1 }
    }

    /// The entries after which pruned has told of something that was done.
    var promises: [Int] {
        entries.indices.filter { place in
            switch entries[place] {
            case .mark(.confirmed), .mark(.done), .mark(.restored): true
            default: false
            }
        }.map { $0 + 1 }
    }

    func bytes(at place: Int, count: Int) -> Data { log[place..<place + count] }
}

extension Data {
    fileprivate func number(at place: Int) -> Int {
        self[place..<place + 8].reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}
