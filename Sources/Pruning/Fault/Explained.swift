import Retention

/// An error for people: what was tried, where, why it failed and what helps.
package struct Explained<Reason: Hashable & Sendable>: Error, Equatable, Sendable {
    package typealias Kind = Reason

    /// What a caller does about the error depends on its kind alone.
    package let kind: Kind
    /// What was tried, such as "count the expired rows of read_record".
    package let operation: String
    /// Where: the path of the store.
    package let place: String
    /// Why it failed.
    package let cause: String
    /// What a person can do about it.
    package let hint: String?
    /// The setting that is to blame; nil if none is.
    package private(set) var setting: BlamedSetting?

    package init(
        _ kind: Kind, operation: String, place: String, cause: String, hint: String? = nil,
        setting: BlamedSetting? = nil
    ) {
        self.kind = kind
        self.operation = operation
        self.place = place
        self.cause = cause
        self.hint = hint
        self.setting = setting
    }

    /// What, where and why, on one line, after the setting that is to blame.
    package var reason: String {
        let reason = "cannot \(operation) in \(place): \(cause)"
        return setting.map { "\($0): \(reason)" } ?? reason
    }

    /// This error with the place of the setting that is to blame.
    package func located(by origins: SettingOrigins) -> Self {
        var located = self
        located.setting = setting?.located(by: origins)
        return located
    }
}

extension Explained: Encodable where Reason: Encodable {}

extension Explained: Decodable where Reason: Decodable {}

extension Explained: CustomStringConvertible {
    /// ``reason``, with the hint where there is one.
    package var description: String { hint.map { "\(reason); \($0)" } ?? reason }
}
