import Pruning

/// What became of a store's free pages, in words.
struct ReclaimText: CustomStringConvertible {
    private let report: ReclaimReport

    init(_ report: ReclaimReport) {
        self.report = report
    }

    /// "reader: gave back 92.4 MB in 0.8 s", and why it is not more, with what to do about that.
    var description: String { hint.map { "\(message); \($0)" } ?? message }

    /// What to do about it.
    var hint: String? { report.failure?.kind == .stopRequest ? nil : report.failure?.hint }

    /// The same without what to do.
    var message: String {
        let did = "gave back \(report.reclaimedBytes.bytes) in \(report.duration.text)"
        let left = report.freeBytes.flatMap { $0 > 0 ? "\($0.bytes) are still free" : nil }
        let why = report.failure.map { failure in
            // Of a run that was told to stop, the one who told it is all there is to say.
            failure.kind == .stopRequest ? failure.cause : "\(report.outcome.rawValue): \(failure.reason)"
        }
        let parts = [report.reclaimedBytes > 0 ? did : nil, left, why].compactMap(\.self)
        return "\(report.store): " + parts.joined(separator: "; ")
    }

    /// "reader: 45%, 41.5 MB given back", while it goes on.
    var progress: String {
        let all = report.reclaimedBytes + (report.freeBytes ?? 0)
        let share = all > 0 ? report.reclaimedBytes * 100 / all : 0
        return "\(report.store): \(share)%, \(report.reclaimedBytes.bytes) given back"
    }
}

extension Int64 {
    /// As a size for a person: "512 B", "92.4 MB".
    var bytes: String {
        var (size, unit) = (Double(self), "B")
        for larger in ["kB", "MB", "GB", "TB"] where size >= 1_000 {
            (size, unit) = (size / 1_000, larger)
        }
        return unit == "B" ? "\(self) B" : "\((size * 10).rounded() / 10) \(unit)"
    }
}
