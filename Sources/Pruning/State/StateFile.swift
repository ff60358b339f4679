import FoundationEssentials
import Glibc
import Retention

/// A small file in the state directory that several processes read and replace: entries by rule.
struct StateFile<Entry: Codable & Sendable>: Sendable {
    let path: String
    /// What writing it is for: "remember the last runs".
    let purpose: String

    /// The entries; empty when there is no such file, or it is damaged.
    func read() -> [Name: Entry] { understood() ?? [:] }

    /// Whether there is something by the file's name that is no such file.
    var isDamaged: Bool { understood() == nil }

    /// Nil when it is damaged.
    private func understood() -> [Name: Entry]? {
        guard let data = RegularFile.contents(atPath: path) else {
            return StateDamage.isMissing(path) ? [:] : nil
        }
        guard StoredNumbers.areBounded(data),
            let entries = try? decoder.decode([String: Entry].self, from: data)
        else { return nil }
        return Dictionary(
            uniqueKeysWithValues: entries.compactMap { text, entry in Name(text).map { ($0, entry) } })
    }

    /// Replaces the file if `body` changes its entries. Another process may do so at the same time: none loses an entry.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when the state directory cannot be written.
    func update(_ body: (inout [Name: Entry]) -> Void) throws(StoreError) where Entry: Equatable {
        let directory = path.directory
        try DirectoryLock.hold(directory, failure: failure) { () throws(StoreError) in try replace(body) }
    }

    private func replace(_ body: (inout [Name: Entry]) -> Void) throws(StoreError) where Entry: Equatable {
        let before = read()
        var entries = before
        body(&entries)
        guard entries != before else { return }
        let texts = Dictionary(uniqueKeysWithValues: entries.map { ($0.key.description, $0.value) })
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        do {
            try AtomicFile.replace(path, with: encoder.encode(texts))
        } catch let error as StoreError {
            throw error
        } catch {
            throw StoreError(.other, operation: purpose, place: path, cause: "\(error)")
        }
    }

    private var decoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return decoder
    }

    private func failure(_ code: Int32) -> StoreError {
        .system(code, operation: purpose, place: path)
    }
}
