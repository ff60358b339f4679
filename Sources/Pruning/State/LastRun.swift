import Foundation
import Retention

/// When a rule last ran to its end, and what it said then.
public struct LastRun: Equatable, Sendable {
    /// When that run began.
    public let date: Date
    /// What the rule said; nil when that was not kept, by an older version.
    public let rule: RuleText?

    /// See the properties.
    public init(date: Date, rule: RuleText?) {
        self.date = date
        self.rule = rule
    }
}

extension LastRun: Codable {
    private enum CodingKeys: String, CodingKey {
        case date = "unix_time"
        case rule
    }

    /// Reads an object, or the bare seconds that an older version wrote.
    public init(from decoder: any Decoder) throws {
        if let seconds = try? decoder.singleValueContainer().decode(Double.self) {
            self.init(date: Date(timeIntervalSince1970: seconds), rule: nil)
            return
        }
        let container = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            date: Date(timeIntervalSince1970: try container.decode(Double.self, forKey: .date)),
            rule: try container.decodeIfPresent(RuleText.self, forKey: .rule))
    }

    /// Writes an object.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(date.timeIntervalSince1970, forKey: .date)
        try container.encodeIfPresent(rule, forKey: .rule)
    }
}
