/// One call that is made to fail, in one way.
struct FaultPoint: CustomStringConvertible {
    /// What is counted to get there.
    enum Kind: String {
        case calls, writes, sqlite, others, archive, ledger
    }

    /// What happens there.
    enum Way: String, CaseIterable {
        case killedBefore = "before"
        case killedAfter = "after"
        case inputOutput = "EIO"
        case noSpace = "ENOSPC"
        case quota = "EDQUOT"
        case interrupted = "EINTR"
        case short
        case delayed = "delay"
        case noMemory = "ENOMEM"
    }

    let kind: Kind
    /// Which call, from 1; 0 for none.
    let number: Int
    var way = Way.inputOutput
    /// Whether all later calls fail, too.
    var goesOn = false

    var isKill: Bool { way == .killedBefore || way == .killedAfter }

    /// What the preloaded library reads.
    func environment(library: String, log: String) -> [String: String] {
        [
            "LD_PRELOAD": library, "FAULTS_OF": kind.rawValue, "FAULTS_AT": "\(number)",
            "FAULTS_WAY": way.rawValue, "FAULTS_ON": goesOn ? "1" : "", "FAULTS_LOG": log,
        ]
    }

    /// What is done at the point, whatever its number.
    var label: String {
        let what = way == .noMemory ? "by \(kind.rawValue)" : way.rawValue
        return goesOn ? what + " from there on" : what
    }

    var description: String {
        "\(way.rawValue) at \(number) of \(kind.rawValue)\(goesOn ? " and later" : "")"
    }
}
