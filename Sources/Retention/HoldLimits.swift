import FoundationEssentials

/// How much a rule may delete in one run before a person must confirm it.
package struct HoldLimits: Hashable, Sendable {
    /// The share of a table, above 0 and at most 1, that a run may delete unconfirmed.
    package var maxShare: Double
    /// Tables with fewer rows than this are never held.
    package var minRows: Int64

    /// Hold a rule that would delete more than `maxShare` of a table of at least `minRows` rows.
    package init(maxShare: Double, minRows: Int64) {
        self.maxShare = maxShare
        self.minRows = minRows
    }

    /// The limits where nothing else is said.
    package static let standard = HoldLimits(maxShare: 0.5, minRows: 1_000)

    /// These limits as a rule with this expiry has them that has none of its own: a row that says itself when it expires
    /// was fetched and can be fetched again, so a cache may lose all of its rows.
    package func inherited(by expiry: Expiry) -> HoldLimits {
        switch expiry {
        case .age: self
        case .deadline: HoldLimits(maxShare: 1, minRows: minRows)
        }
    }

    /// Whether a rule that would delete `expired` of a table's `rows` must be held. What is exactly the share may go.
    package func areExceeded(by expired: Int64, of rows: Int64) -> Bool {
        rows >= minRows && Decimal(expired) > share * Decimal(rows)
    }

    /// Whether there is a table of which `expired` rows are too many: false saves counting the table's rows.
    package func mayBeExceeded(by expired: Int64) -> Bool {
        maxShare < 1 && expired > 0 && Decimal(expired) > share * Decimal(minRows)
    }

    /// ``maxShare`` as it was written: the binary number next to 0.29 is less than that, and would hold 29 rows of 100.
    /// What is too small for a decimal number is less than a row of any table.
    private var share: Decimal { Decimal(string: maxShare.description) ?? 0 }

    /// ``maxShare`` in percent: "12.5", and "1e-298" where that would be a row of zeros.
    package var maxPercent: String {
        let parts = maxShare.description.split(separator: "e")
        guard maxShare < 1e-12, parts.count == 2, let exponent = Int(parts[1]) else {
            return (share * 100).description
        }
        return "\(parts[0])e\(exponent + 2)"
    }
}
