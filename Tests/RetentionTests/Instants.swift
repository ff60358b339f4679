import Foundation
import Retention
import TestSupport

/// The instant that `text` (ISO 8601, such as `2026-11-20T12:00:00Z`) names.
func instant(_ text: String) throws -> Date {
    try Date(text, strategy: .iso8601)
}

/// The time zone of this name; throws when the system does not have it.
func zone(_ name: String) throws -> Zone {
    guard let zone = Zone(identifier: name) else { throw UnknownZone(name: name) }
    return zone
}

struct UnknownZone: Error {
    let name: String
}
