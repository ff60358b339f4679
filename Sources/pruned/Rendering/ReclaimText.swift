import Pruning

/// What a run did with a store's free pages, as text.
struct ReclaimText: CustomStringConvertible {
    private let report: ReclaimReport

    init(_ report: ReclaimReport) {
        self.report = report
    }

    /// Such as "reader: gave back 92.4 MB in 0.8 s", with the reason if it was not all, and the hint.
    var description: String { hint.map { "\(message); \($0)" } ?? message }

    var hint: String? { report.failure?.kind == .stopRequest ? nil : report.failure?.hint }

    /// The description without the hint.
    var message: String {
        let did = "gave back \(report.reclaimedBytes.bytes) in \(report.duration.text)"
        let left = report.freeBytes.flatMap { $0 > 0 ? "\($0.bytes) are still free" : nil }
        let why = report.failure.map { failure in
            // After a stop request, the request's cause is enough.
            failure.kind == .stopRequest ? failure.cause : "\(report.outcome.rawValue): \(failure.reason)"
        }
        let parts = [report.reclaimedBytes > 0 ? did : nil, left, why].compactMap(\.self)
        return "\(report.store): " + parts.joined(separator: "; ")
    }

    /// The progress, such as "reader: 45%, 41.5 MB given back".
    var progress: String {
        let all = report.reclaimedBytes + (report.freeBytes ?? 0)
        let share = all > 0 ? report.reclaimedBytes * 100 / all : 0
        return "\(report.store): \(share)%, \(report.reclaimedBytes.bytes) given back"
    }
}
