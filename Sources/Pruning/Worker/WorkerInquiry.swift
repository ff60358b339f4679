import FoundationEssentials

/// What is made of a worker's messages.
package protocol WorkerConversing {
    /// Takes a message. Returns what must be answered.
    mutating func take(_ message: WorkerMessage) throws(WorkerFault) -> WorkerAnswer?

    /// Takes that the worker was killed, because it did not end by itself.
    mutating func isStuck(_ stuck: StuckWork)
}

/// Waits for the answer to a question.
package struct WorkerInquiry<Answer: Codable & Sendable>: WorkerConversing {
    private var told = Data()
    /// What was told, if it was told to its end.
    package private(set) var reply: WorkerReply<Answer>?
    /// Why there will be no answer.
    package private(set) var stuck: StoreError?

    package init() {}

    package mutating func take(_ message: WorkerMessage) throws(WorkerFault) -> WorkerAnswer? {
        switch message {
        case .alive, .at: break
        case .answer(let piece) where reply == nil && told.count + piece.count <= mostBytes:
            told += piece
        case .over where reply == nil:
            guard let whole = try? JSONDecoder().decode(WorkerReply<Answer>.self, from: told) else {
                throw .disorder
            }
            (reply, told) = (whole, Data())
        default: throw .disorder
        }
        return nil
    }

    package mutating func isStuck(_ stuck: StuckWork) { self.stuck = stuck.error }

    /// More than hundreds of rules take.
    private var mostBytes: Int { 16 << 20 }
}

/// What a worker process replies to a question.
package enum WorkerReply<Answer: Codable & Sendable>: Codable, Sendable {
    case told(Answer)
    case failed(StoreError)
    /// The store is no object of the question.
    case refused(WorkerRefusal)

    /// The messages with it.
    package func messages() throws -> [WorkerMessage] {
        let bytes = try JSONEncoder().encode(self)
        // A line has them in base 64.
        let size = 40_000
        let pieces = stride(from: 0, to: bytes.count, by: size).map {
            WorkerMessage.answer(bytes[$0..<min($0 + size, bytes.count)])
        }
        return pieces + [.over]
    }
}

/// What a person is told instead of an answer.
package struct WorkerRefusal: Error, Codable {
    /// The exit status.
    package let status: Int32
    package let what: String
    package let hint: String?

    package init(status: Int32, what: String, hint: String?) {
        (self.status, self.what, self.hint) = (status, what, hint)
    }
}
