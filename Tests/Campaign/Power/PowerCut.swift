import Foundation
import TestSupport

/// A cut of the power: which entry of a recording is the last, and which of the writes that were not flushed by then got
/// lost.
struct PowerCut: CustomStringConvertible {
    enum Loss: String, CaseIterable {
        /// All of them.
        case all
        /// None: the disk has no cache.
        case none
        /// Each by chance. So a later write may be there without an earlier one.
        case some
        /// Each sector of each write by chance.
        case sectors
    }

    /// How many entries there are before the cut.
    let place: Int
    let loss: Loss
    private let seed: UInt64

    init(of recording: Recording, after start: Int, by generator: inout SeededGenerator) {
        let end = recording.entries.count
        // What was promised last is in the most danger.
        let promises = recording.promises.filter { $0 >= start }
        if let promise = promises.randomElement(using: &generator),
            Int.random(in: 0..<3, using: &generator) == 0
        {
            place = min(end, promise + Int.random(in: 0...3, using: &generator))
        } else {
            place = Int.random(in: start...end, using: &generator)
        }
        loss = Loss.allCases.randomElement(using: &generator) ?? .all
        seed = generator.next()
    }

    var description: String { "cut before entry \(place), \(loss.rawValue) lost" }

    /// Does to the disk at `path`, which is as it was before the recording, what reached it.
    func apply(_ recording: Recording, to path: String) throws {
        guard let disk = FileHandle(forWritingAtPath: path) else { throw PowerError("no \(path)") }
        defer { try? disk.close() }
        let entries = recording.entries[..<place]
        let safe = entries.lastIndex { if case .flush = $0 { true } else { false } } ?? 0
        var generator = SeededGenerator(seed: seed)
        for (number, entry) in entries.enumerated() {
            guard case .write(let offset, let length, let start) = entry else { continue }
            let piece = number >= safe && loss == .sectors ? 512 : length
            for done in stride(from: 0, to: length, by: piece) {
                guard number < safe || reaches(&generator) else { continue }
                try disk.seek(toOffset: UInt64(offset + done))
                try disk.write(
                    contentsOf: recording.bytes(at: start + done, count: min(piece, length - done)))
            }
        }
    }

    private func reaches(_ generator: inout SeededGenerator) -> Bool {
        switch loss {
        case .all: false
        case .none: true
        case .some, .sectors: Bool.random(using: &generator)
        }
    }
}
