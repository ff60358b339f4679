import FoundationEssentials
import Glibc
import Pruning
import Retention

/// What the group of a state directory may know of the ledger, which is private: `status.json`.
///
/// Its members `status` and `history` are those of `pruned status --json`, without what only a look at the stores tells,
/// and of `pruned history --json`, the last ``runs`` runs. Of `records` the group's own `pruned status` makes its screen.
struct PublishedStatus: Decodable {
    let history: [HistoryEntry]
    let records: StateReading
    private let status: Summary

    private struct Summary: Decodable {
        let at: Date
        let isServing: Bool?

        enum CodingKeys: String, CodingKey {
            case at
            case isServing = "service_running"
        }
    }

    /// When it was written.
    var at: Date { status.at }
    /// Whether a service ran then.
    var isServing: Bool? { status.isServing }

    static let runs = 50

    static func path(in stateDirectory: String) -> String { stateDirectory + "/status.json" }

    /// Throws if it cannot be read.
    init(in stateDirectory: String) throws(Failure) {
        let path = Self.path(in: stateDirectory)
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        do {
            self = try decoder.decode(Self.self, from: Data(contentsOf: URL(filePath: path)))
        } catch {
            let code = access(path, R_OK) == 0 ? EBADMSG : errno
            let isOpen = access(stateDirectory, X_OK) == 0
            throw Failure(
                .system(
                    code, operation: "look at the state", place: isOpen ? path : stateDirectory,
                    hint: "run as root, or as the owner of \(stateDirectory)"))
        }
    }

    /// Replaces the file.
    static func write(
        _ status: StatusReport, _ history: [HistoryEntry], _ records: StateReading
    ) throws {
        let content = Content(status: status, history: history, records: records)
        try AtomicFile.replace(
            path(in: status.stateDirectory), with: Data((content.json() + "\n").utf8), mode: 0o640,
            isDurable: false)
    }

    private struct Content: JSONObject {
        let status: StatusReport
        let history: [HistoryEntry]
        let records: StateReading

        var members: [String: any Encodable] {
            ["status": status, "history": history, "records": records]
        }
    }
}
