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
    private var bytes = 0

    /// What was told, if it was told to its end.
    package var answer: StoreAnswer? { isOver ? told : nil }
    /// The error of work that did not end.
    package private(set) var stuck: StoreError?

    package init() {}

    package mutating func take(_ bytes: [UInt8], at now: Duration) throws(WorkerFault) -> [WorkerAnswer] {
        self.bytes += bytes.count
        guard self.bytes <= Self.mostBytes else { throw .disorder }
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

    /// Some answers take many messages.
    private func all(of given: StoreAnswer) throws(WorkerFault) -> StoreAnswer {
        switch (told, given) {
        case (nil, _): return given
        case (.check(let before), .check(let more)): return .check(before.and(more))
        default: throw .disorder
        }
    }

    /// More than hundreds of rules take.
    private static let mostBytes = 24 << 20
}
