import FoundationEssentials
import Glibc
import Retention

/// What the service says of itself, in the state directory: to whoever asks while it runs, and to its next start.
package struct ServiceRecord: Codable, Equatable, Sendable {
    /// The policy in force, as a configuration file, in the service's time zone where that names none.
    package var policy: String
    /// The time zone of the service's system.
    package var timeZone: String
    /// When the policy was read.
    package var readAt: Date
    /// Why it refused the configuration when it last read that; nil when it did not.
    package var refusal: Refusal?
    /// The rules that did not come to their end when they last ran, and are tried again, by name.
    package var troubles: [String: RuleTrouble]

    /// Why a configuration was refused.
    package struct Refusal: Codable, Equatable, Sendable {
        /// When.
        package let at: Date
        /// What is wrong, and where.
        package let reason: String
        /// What to do about it.
        package let hint: String?

        /// See the properties.
        package init(at date: Date, reason: String, hint: String?) {
            at = date
            self.reason = reason
            self.hint = hint
        }
    }

    /// See the properties; nothing is refused, and nothing fails.
    package init(policy: String, timeZone: String, readAt: Date) {
        self.policy = policy
        self.timeZone = timeZone
        self.readAt = readAt
        troubles = [:]
    }

    /// The keys of a state file: they stay.
    enum CodingKeys: String, CodingKey {
        case policy
        case timeZone = "time_zone"
        case readAt = "read_at"
        case refusal, troubles
    }
}

extension ServiceRecord {
    private static func path(in directory: String) -> String { directory + "/service.json" }
    private static let purpose = "remember what the service works by"

    /// What the service on `stateDirectory` last said; nil when there is nothing that only its user can have written: others
    /// share the directory.
    package static func read(stateDirectory: String) -> ServiceRecord? {
        guard RegularFile.isAt(path(in: stateDirectory)) else { return nil }
        let file = open(path(in: stateDirectory), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else { return nil }
        let handle = OpenFile(file)
        var (status, directory) = (stat(), stat())
        guard fstat(file, &status) == 0, stat(stateDirectory, &directory) == 0,
            status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o022 == 0,
            status.st_uid == directory.st_uid, let data = handle.read(),
            StoredNumbers.areBounded(data)
        else { return nil }
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try? decoder.decode(Self.self, from: data)
    }

    /// Takes the place of what was said before.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when the state directory cannot be written.
    package func write(stateDirectory: String) throws(StoreError) {
        let path = Self.path(in: stateDirectory)
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        let data: Data
        do { data = try encoder.encode(self) } catch {
            throw StoreError(.other, operation: Self.purpose, place: path, cause: "\(error)")
        }
        try AtomicFile.replace(path, with: data, mode: 0o640)
    }
}
