import FoundationEssentials

/// How much a rule may delete in one run before a person must confirm it.
package struct HoldLimits: Codable, Hashable, Sendable {
    /// The share of a table, above 0 and at most 1, that a run may delete without confirmation.
    package var maxShare: Double
    /// On tables with fewer rows than this no rule is held for its share.
    package var minRows: Int64

    /// Limits that hold a rule which would delete more than `maxShare` of a table of at least `minRows` rows.
    package init(maxShare: Double, minRows: Int64) {
        self.maxShare = maxShare
        self.minRows = minRows
    }

    /// The limits where the configuration sets none.
    package static let standard = HoldLimits(maxShare: 0.5, minRows: 1_000)

    /// The limits of a rule with this expiry that sets none itself. On deadlines no share is too large: a row with a
    /// deadline is usually a cached copy that can be fetched again.
    package func inherited(by expiry: Expiry) -> HoldLimits {
        switch expiry {
        case .age, .orphan: self
        case .deadline: HoldLimits(maxShare: 1, minRows: minRows)
        }
    }

    /// Whether a rule that would delete `expired` of a table's `rows` must be held. Exactly the share is permitted.
    package func areExceeded(by expired: Int64, of rows: Int64) -> Bool {
        rows >= minRows && Decimal(expired) > share * Decimal(rows)
    }

    /// Whether only the size of the table keeps such a rule from being held.
    package func spares(_ expired: Int64, of rows: Int64) -> Bool {
        rows < minRows && maxShare < 1 && expired > 0 && Decimal(expired) > share * Decimal(rows)
    }

    /// Whether `expired` rows could be too many for some table. If false, the table's rows need not be counted.
    package func mayBeExceeded(by expired: Int64) -> Bool {
        maxShare < 1 && expired > 0 && Decimal(expired) > share * Decimal(minRows)
    }

    /// Whether a rule with this expiry may delete all rows of a table, or some of the newest, only after a person confirmed
    /// it. Rows with a deadline may all go, unless the rule sets a share; so may orphans, which have no time.
    package func guardNewest(of expiry: Expiry) -> Bool { maxShare < 1 && expiry.column != nil }

    /// ``maxShare`` as it was written. The binary number for 0.29 is slightly smaller, and would hold a rule that
    /// deletes 29 of 100 rows. A share too small for a decimal number becomes 0: it is less than one row of any table.
    private var share: Decimal { Decimal(string: maxShare.description) ?? 0 }

    /// ``maxShare`` in percent, such as "12.5"; "1e-298" where a plain number would be a long row of zeros.
    package var maxPercent: String {
        let parts = maxShare.description.split(separator: "e")
        guard maxShare < 1e-12, parts.count == 2, let exponent = Int(parts[1]) else {
            return (share * 100).description
        }
        return "\(parts[0])e\(exponent + 2)"
    }
}
