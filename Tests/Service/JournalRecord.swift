import Foundation

/// An entry of the journal, field by field.
struct JournalRecord {
    private let fields: [String: String]

    init(json: Data) throws {
        let object = try JSONSerialization.jsonObject(with: json) as? [String: Any] ?? [:]
        fields = object.compactMapValues { $0 as? String }
    }

    subscript(name: String) -> String? { fields[name] }

    var message: String { fields["MESSAGE"] ?? "" }
    var kind: String? { fields["MESSAGE_ID"] }
    /// The syslog priority, 3 (error) to 7 (debug).
    var priority: Int? { fields["PRIORITY"].flatMap { Int($0) } }
    /// Whether the service wrote it, and not systemd about the service.
    var isOurs: Bool { fields["SYSLOG_IDENTIFIER"] == "pruned" }

    /// The kinds that tests look for, by MESSAGE_ID.
    enum Kind {
        static let runFinished = "01f01e1c256f4c09a43dc9157e90b335"
        static let runFailed = "9bdd2dc3c1b44161a467bb5b6db6bad7"
        static let runSkipped = "22d3420f2a9d49d3b956db343b03ccc7"
        static let reclaimed = "5924d61bae744c6189b7a08ec6610ede"
        static let reloaded = "7fe18f8a98014e668e128f4ef5964f99"
        static let refused = "29f1670e0fd4403aaf9cc9dce9e87a66"
    }
}
