import Pruning

/// What `pruned check` found out about one thing that a run needs.
struct CheckFinding {
    /// What it is about, for the summary.
    enum Subject {
        case setting, store, rule
    }

    /// The word for it, as it is printed.
    enum Verdict: String {
        case ok
        case notThereYet = "not there yet"
        case notChecked = "not checked"
        case missing = "MISSING"
        case wrong = "WRONG"
    }

    let subject: Subject
    /// As it stands at the beginning of the line: "store reader".
    let name: String
    let detail: String
    let verdict: Verdict
    /// Why it is wrong.
    var failure: Failure?
    /// What a person may want to know although nothing is wrong.
    var remarks: [String] = []

    /// Whether somebody should look at it.
    var isProblem: Bool {
        switch verdict {
        case .ok, .notThereYet: !remarks.isEmpty
        case .notChecked, .missing, .wrong: true
        }
    }

    /// The status that the program has by this finding alone.
    var status: ExitStatus { failure?.status ?? .done }

    /// The finding that `body` makes by not throwing, or by throwing why it is wrong.
    static func of(
        _ subject: Subject, _ name: String, _ detail: String, _ body: () throws(StoreError) -> Void
    ) -> CheckFinding {
        do {
            try body()
            return CheckFinding(subject: subject, name: name, detail: detail, verdict: .ok)
        } catch {
            return CheckFinding(
                subject: subject, name: name, detail: detail, verdict: .wrong,
                failure: error.kind == .schema ? Failure(misfits: [error]) : Failure(error))
        }
    }
}
