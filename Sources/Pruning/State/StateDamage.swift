/// An unreadable part of the state directory. It is treated as missing.
package struct StateDamage: Decodable, Equatable, Sendable {
    /// The file.
    package let path: String
    /// What is wrong with it, and what follows from that.
    package let reason: String
    /// What a person can do about it.
    package let hint: String

    package init(path: String, reason: String, hint: String) {
        self.path = path
        self.reason = reason
        self.hint = hint
    }
}
