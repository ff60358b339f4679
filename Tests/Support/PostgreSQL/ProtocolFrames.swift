import Foundation

/// Takes a stream of PostgreSQL's protocol apart into messages: a byte for the kind, four for the length, the content.
package struct ProtocolFrames {
    package struct Message {
        /// `Q`, `P`, `Z`; nil for the first message of a client, which has none.
        package let kind: Character?
        /// With kind and length.
        package let bytes: [UInt8]

        /// What follows the length.
        package var content: ArraySlice<UInt8> { bytes.dropFirst(kind == nil ? 4 : 5) }

        /// The texts that end with a NUL at the beginning of the content.
        func strings(_ count: Int) -> [String] {
            content.split(separator: 0, maxSplits: count, omittingEmptySubsequences: false).prefix(count)
                .map { String(decoding: $0, as: UTF8.self) }
        }
    }

    private var rest: [UInt8] = []
    /// Whether the next message has no kind.
    private var isFirst: Bool

    package init(beginsWithoutKind: Bool) { isFirst = beginsWithoutKind }

    package mutating func add(_ bytes: some Sequence<UInt8>) { rest += bytes }

    /// The next message, once it is there as a whole.
    ///
    /// `repeatsFirst`: whether another message without a kind follows it.
    package mutating func next(repeatsFirst: (Message) -> Bool = { _ in false }) -> Message? {
        let start = isFirst ? 0 : 1
        guard rest.count >= start + 4 else { return nil }
        let length = rest[start..<start + 4].reduce(0) { $0 << 8 | Int($1) }
        guard length >= 4, rest.count >= start + length else { return nil }
        let message = Message(
            kind: isFirst ? nil : Character(UnicodeScalar(rest[0])), bytes: Array(rest[..<(start + length)]))
        rest.removeFirst(start + length)
        if isFirst { isFirst = repeatsFirst(message) }
        return message
    }
}
