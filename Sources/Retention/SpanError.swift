/// Why a text is not a ``Span``.
package enum SpanError: Error, Equatable, Sendable {
    case empty
    case zero
    case negative
    case tooLong
    case noUnit(String)
    case unknownUnit(String)
    case repeatedUnit(Span.Unit)
    case notANumber(String)

    /// What is wrong, without the value itself.
    package var reason: String {
        switch self {
        case .empty: "the span is empty"
        case .zero: "a span must be longer than zero"
        case .negative: "a span cannot be negative"
        case .tooLong: "the span is longer than \(Span.longestYears) years"
        case .noUnit: "the number has no unit"
        case .unknownUnit(let unit): "\"\(unit)\" is not a unit of time"
        case .repeatedUnit(let unit): "the unit \"\(unit.rawValue)\" occurs twice"
        case .notANumber(let text): "\"\(text)\" does not begin with a whole number"
        }
    }

    /// What to write instead.
    package var hint: String {
        switch self {
        case .noUnit(let digits): "say which unit: \"\(digits)d\" is \(digits) days"
        case .unknownUnit("m"): "write \"min\" for minutes or \"month\" for months"
        case .tooLong: "to keep rows forever, leave the rule out"
        case .empty, .zero, .negative, .unknownUnit, .repeatedUnit, .notANumber:
            "write whole numbers with units, such as \"30d\" or \"1d 12h\"; units are "
                + Span.Unit.allCases.reversed().map(\.rawValue).joined(separator: " ")
        }
    }
}
