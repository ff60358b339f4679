import Retention
import TerminalText

extension TimeFormat {
    /// The format of the time column of a rule with this expiry on a store of this format.
    init(
        _ reader: TableReader<RuleKey>, of expiry: Expiry, on format: StoreFormat
    ) throws(PolicyFileError) {
        if expiry.column == nil {
            for key in [RuleKey.unit, .epoch, .columnZone] where reader.value(key) != nil {
                throw reader.error(
                    key, "belongs to a time column", hint: "add age_column or expires_column, or remove it")
            }
        }
        let unit = try Self.known(.unit, reader, "is not a unit of a time column") ?? TimeUnit.seconds
        let epoch: Epoch? = try Self.known(.epoch, reader, "is not a known epoch")
        let epochs = unit.epochs.map(\.rawValue.quoted)
        if let epoch, !unit.epochs.contains(epoch) {
            throw unit.storage == .text
                ? reader.error(
                    .epoch, beside: .unit, "does not apply to text, which has its own dates",
                    hint: "remove epoch, or write the unit of the numbers in the column")
                : reader.error(
                    .epoch, beside: .unit, "is not where \"\(unit.rawValue)\" counts from",
                    hint: epochs.count == 1
                        ? "remove epoch: this unit has its own"
                        : "write one of \(epochs.joined(separator: ", "))")
        }
        guard epoch != nil || unit != .snowflake else {
            throw reader.error(
                .unit, "says a time only with an epoch",
                hint: "add epoch: one of \(epochs.joined(separator: ", "))")
        }
        self.init(unit, since: epoch, zone: try Self.zone(reader, unit, format))
        guard isRepresentable else {
            throw reader.error(
                .epoch, beside: .unit,
                "nanoseconds since \(self.epoch == .dotnet ? "the year 1" : "1601") do not fit into an integer of 64 bits",
                hint: "write the unit that the column really has, probably \"us\"")
        }
    }

    private static func known<Value: RawRepresentable<String> & CaseIterable>(
        _ key: RuleKey, _ reader: TableReader<RuleKey>, _ reason: String
    ) throws(PolicyFileError) -> Value? {
        guard let text = try reader.string(key) else { return nil }
        guard let value = Value(rawValue: text) else {
            let known = Value.allCases.map(\.rawValue.quoted).joined(separator: ", ")
            throw reader.error(key, reason, hint: "write one of \(known)")
        }
        return value
    }

    private static func zone(
        _ reader: TableReader<RuleKey>, _ unit: TimeUnit, _ format: StoreFormat
    ) throws(PolicyFileError) -> Zone? {
        guard let name = try reader.string(.columnZone) else { return nil }
        // Servers have types for times without a zone, of which the file knows nothing.
        guard unit == .iso8601 || unit == .dayDigits || format.isServer else {
            throw reader.error(
                .columnZone, beside: .unit, "belongs to times as text",
                hint: "numbers count from an instant and have no zone; remove it")
        }
        return try reader.zone(.columnZone, named: name)
    }
}

extension TableReader {
    /// The zone that `key` names.
    func zone(_ key: Key, named name: String) throws(PolicyFileError) -> Zone {
        // tzdata also has old names without a place, such as "MET", and "EST" without summer time.
        let isUnambiguous = name.contains("/") || name == "UTC" || name == "GMT"
        guard isUnambiguous, let zone = ZoneDirectory.system.zone(named: name) else {
            let names = ZoneDirectory.system.names
            throw error(
                key, "is not a time zone",
                hint: names.isEmpty
                    ? "the system has no time zones but UTC: install tzdata"
                    : names.nearest(to: name).map { "did you mean \"\($0)\"?" }
                        ?? "write \"UTC\" or a name such as \"Europe/Berlin\"")
        }
        return zone
    }
}
