import FoundationEssentials

/// Why a worker process must end.
package struct WorkerFault: Error, Equatable {
    /// What it did, to follow "its worker process was killed".
    package let cause: String

    static let disorder = WorkerFault(cause: "it told what cannot be")
}

/// Divides what a worker process writes into messages.
package struct WorkerLines {
    private var buffer: [UInt8] = []
    /// When the present second began, and how many bytes came in it.
    private var second = (begin: Duration.zero, bytes: 0)

    /// Longer lines, and more than this in a second, are no messages. A plan has the rows of each day in one line: a million
    /// bytes for four decades.
    package static let (longestLine, mostInSecond) = (1 << 21, 1 << 22)

    package init() {}

    /// The messages that end with these bytes, which came at `now`.
    package mutating func take(_ bytes: some Collection<UInt8>, at now: Duration) throws(WorkerFault)
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
