import Foundation
import Retention
import Testing

/// When a row will expire: the first second at which a run would say so.
struct FirstExpiryTests {
    @Test(
        "a row expires at the first second whose cutoff is past it, and not a second sooner",
        arguments: [
            ("30d", "2026-10-21T12:00:00Z", "UTC"), ("1month", "2026-01-31T10:00:00Z", "UTC"),
            ("1y", "2024-02-29T00:00:00Z", "UTC"), ("12h", "2026-10-25T00:30:00Z", "Europe/Berlin"),
            ("1d", "2026-03-28T01:30:00Z", "Europe/Berlin"), ("1d", "2026-10-24T00:30:00Z", "Europe/Berlin"),
            ("500ms", "2026-10-24T00:30:00Z", "UTC"), ("100y", "2026-10-24T00:30:00Z", "UTC"),
        ])
    func age(keep: String, time: String, zone name: String) throws {
        let expiry = Expiry.age(column: "c", keep: try Span(parsing: keep))
        try expectFirst(expiry, try instant(time), try zone(name))
    }

    @Test("a deadline with and without grace", arguments: [nil, "30min", "1month"])
    func deadline(grace: String?) throws {
        let expiry = Expiry.deadline(column: "c", grace: try grace.map { try Span(parsing: $0) })
        try expectFirst(expiry, try instant("2026-11-20T12:00:00Z"), .gmt)
    }

    private func expectFirst(_ expiry: Expiry, _ time: Date, _ zone: Zone) throws {
        let due = expiry.firstExpiry(of: time, in: zone)
        #expect(expiry.cutoff(at: due, in: zone) > time)
        #expect(expiry.cutoff(at: due.addingTimeInterval(-1), in: zone) <= time)
    }

    @Test("a month after January 31 is March 1, for a month before that is the first that is later")
    func months() throws {
        let expiry = Expiry.age(column: "c", keep: Span(1, .month))
        let due = expiry.firstExpiry(of: try instant("2026-01-31T10:00:00Z"), in: .gmt)
        #expect(due == (try instant("2026-03-01T00:00:00Z")))
    }
}
