import Foundation

/// The instant that `text` (ISO 8601, such as `2026-11-20T12:00:00Z`) names.
func instant(_ text: String) throws -> Date {
    try Date(text, strategy: .iso8601)
}

/// The time zone of this name; throws when Foundation does not know it.
func zone(_ name: String) throws -> TimeZone {
    guard let zone = TimeZone(identifier: name) else { throw UnknownZone(name: name) }
    return zone
}

struct UnknownZone: Error {
    let name: String
}
