import FoundationEssentials
import Retention

extension Forecast: Encodable {
    /// Scripts read these, among the keys of the rule's report: they stay.
    enum CodingKeys: String, CodingKey {
        case rows
        case dependentsExpired = "dependents_expired"
        case oldestExpired = "oldest_expired"
        case newestExpired = "newest_expired"
        case nextExpiry = "next_expiry"
        case histogram
    }

    /// Encodes every key; what is not there is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(ages.rows, forKey: .rows)
        try container.encode(ages.dependents, forKey: .dependentsExpired)
        try container.encode(ages.oldestExpired?.iso8601, forKey: .oldestExpired)
        try container.encode(ages.newestExpired?.iso8601, forKey: .newestExpired)
        try container.encode(nextExpiry?.iso8601, forKey: .nextExpiry)
        try container.encode(histogram.bars, forKey: .histogram)
    }
}

extension Histogram.Bar: Encodable {
    /// Scripts read these: they stay.
    enum CodingKeys: String, CodingKey {
        case from, to, rows
    }

    /// Encodes every key; an end that is open is null.
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(from?.iso8601, forKey: .from)
        try container.encode(to?.iso8601, forKey: .to)
        try container.encode(rows, forKey: .rows)
    }
}
