import Retention

/// What a look at a store and at the rows of its rules found.
package struct StoreCheck: Codable, Sendable {
    /// What was found for one rule.
    package struct Rule: Codable, Sendable {
        /// Why it does not fit the store's schema.
        package var misfit: StoreError?
        /// Why a run of it would fail otherwise.
        package var failure: StoreError?
        /// What a person should know of its rows.
        package var remarks: [String] = []

        package init() {}
    }

    package let exists: Bool
    /// Why the store cannot be pruned.
    package var failure: StoreError?
    /// The app's versions that have its schema, where the policy knows these.
    package var versions: String?
    /// What was not checked.
    package var unchecked: String?
    /// How a run will disturb the app.
    package var disturbance: String?
    package var rules: [Name: Rule] = [:]

    package init(exists: Bool) { self.exists = exists }

    /// That of a store that could not be asked.
    package init(lost error: StoreError) {
        exists = true
        failure = error
    }

    /// The same in texts that may be shown, of these rules alone. A rule of which nothing was told was not looked at.
    package func cleaned(of rules: [RetentionRule]) -> StoreCheck {
        var check = StoreCheck(exists: exists)
        check.failure = failure?.cleaned
        (check.versions, check.unchecked) = (versions?.cleaned, unchecked?.cleaned)
        check.disturbance = disturbance?.cleaned
        for rule in rules { check.rules[rule.name] = self.rules[rule.name]?.short }
        return check
    }
}

extension StoreCheck.Rule {
    fileprivate var short: Self {
        var rule = self
        (rule.misfit, rule.failure) = (misfit?.cleaned, failure?.cleaned)
        rule.remarks = remarks.prefix(20).map { String($0.cleaned.prefix(1_000)) }
        return rule
    }
}
