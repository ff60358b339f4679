import FoundationEssentials

/// Why a worker process must end.
package struct WorkerFault: Error, Equatable {
    /// What it did, to follow "its worker process was killed".
    package let cause: String

    static let disorder = WorkerFault(cause: "it told what cannot be")
}

/// Divides what a worker process writes into messages.
struct WorkerLines {
    private var buffer: [UInt8] = []
    /// When the present second began, and how many bytes came in it.
    private var second = (begin: Duration.zero, bytes: 0)

    /// Longer lines, and more than this in a second, are no messages.
    static let (longestLine, mostInSecond) = (1 << 16, 1 << 20)

    /// The messages that end with these bytes, which came at `now`.
    mutating func take(_ bytes: some Collection<UInt8>, at now: Duration) throws(WorkerFault)
        -> [WorkerMessage]
    {
        buffer += bytes
        if now - second.begin >= .seconds(1) { second = (now, 0) }
        second.bytes += bytes.count
        guard second.bytes <= Self.mostInSecond else { throw WorkerFault(cause: "it told too much") }
        var lines = buffer.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        buffer = lines.popLast().map(Array.init) ?? []
        guard lines.allSatisfy({ $0.count <= Self.longestLine }), buffer.count <= Self.longestLine else {
            throw WorkerFault(cause: "it told a line too long")
        }
        var messages: [WorkerMessage] = []
        for line in lines {
            guard let message = try? JSONDecoder().decode(WorkerMessage.self, from: Data(line)) else {
                throw WorkerFault(cause: "it told what nobody understands")
            }
            messages.append(message)
        }
        return messages
    }
}

/// What is made of a worker's messages.
package protocol WorkerConversing {
    /// Takes bytes that came at `now`. Returns what must be answered, in order.
    mutating func take(_ bytes: [UInt8], at now: Duration) throws(WorkerFault) -> [WorkerAnswer]
}

/// Waits for the answer to a question.
package struct WorkerInquiry: WorkerConversing {
    private var lines = WorkerLines()
    private var told: StoreAnswer?
    private var isOver = false
    private var leasedBytes = 0

    /// What was told, if it was told to its end.
    package var answer: StoreAnswer? { isOver ? told : nil }
    /// The error of work that did not end.
    package private(set) var stuck: StoreError?

    package init() {}

    package mutating func take(_ bytes: [UInt8], at now: Duration) throws(WorkerFault) -> [WorkerAnswer] {
        for message in try lines.take(bytes, at: now) {
            switch message {
            case .alive: break
            case .answer(let given) where !isOver: told = try all(of: given)
            case .over where told != nil && !isOver: isOver = true
            case .stuck(_, let error): stuck = error.cleaned
            default: throw .disorder
            }
        }
        return []
    }

    /// Leases may take many messages.
    private mutating func all(of given: StoreAnswer) throws(WorkerFault) -> StoreAnswer {
        if case .leases(.known(let leases), _) = given {
            leasedBytes += leases.map { Self.leaseBytes + $0.fingerprints.count }.reduce(0, +)
        }
        guard leasedBytes <= Self.mostLeasedBytes else { throw .disorder }
        switch (told, given) {
        case (nil, _): return given
        case (.leases(let before, let wasEmpty), .leases(let more, let isEmpty)):
            return .leases(before.and(more), isEmpty: wasEmpty && isEmpty)
        default: throw .disorder
        }
    }

    /// Two million rows.
    private static let mostLeasedBytes = 16 << 20
    /// About what a lease takes beside the fingerprints.
    private static let leaseBytes = 100
}
