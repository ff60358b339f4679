import FoundationEssentials

/// A value that a report shows as a JSON object. Scripts read the member names, so they must not change.
package protocol JSONObject: Encodable {
    /// All members, in every object: an unknown value is null.
    var members: [String: any Encodable] { get }
}

extension JSONObject {
    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: MemberName.self)
        for (name, value) in members {
            try container.encode(value, forKey: MemberName(stringValue: name))
        }
    }
}

private struct MemberName: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Encodable {
    /// JSON on one line, with sorted keys and times as ISO 8601 in UTC.
    package func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return String(decoding: try encoder.encode(self), as: UTF8.self)
    }
}
