import TerminalText

/// The pattern of a LIKE: characters, `_` for any one, and `%` for any number of them.
package struct LikePattern: Equatable, Sendable {
    package enum Part: Equatable, Sendable {
        case scalar(Unicode.Scalar)
        case one
        case any
    }

    package let parts: [Part]

    package init(_ parts: [Part]) { self.parts = parts }

    /// Throws if `escape`, which takes away the meaning of what follows it, stands before anything but itself, `_` or `%`.
    init(_ text: String, escape: Unicode.Scalar?, at offset: Int) throws(ConditionError) {
        var parts: [Part] = []
        var isEscaped = false
        for scalar in text.unicodeScalars {
            if isEscaped {
                guard scalar == "_" || scalar == "%" || scalar == escape else {
                    throw ConditionError(
                        "has a pattern in which ESCAPE stands before another character", at: offset)
                }
                parts.append(.scalar(scalar))
                isEscaped = false
            } else if scalar == escape {
                isEscaped = true
            } else {
                parts.append(scalar == "_" ? .one : scalar == "%" ? .any : .scalar(scalar))
            }
        }
        guard !isEscaped else { throw ConditionError("has a pattern that ends in its ESCAPE", at: offset) }
        self.parts = parts
    }

    /// As LIKE has it, escaped by a backslash.
    package var escapedByBackslash: String {
        text(one: "_", any: "%") { scalar in ["_", "%", "\\"].contains(scalar) ? "\\\(scalar)" : "\(scalar)" }
    }

    package func text(one: String, any: String, scalar: (Unicode.Scalar) -> String) -> String {
        parts.reduce(into: "") { text, part in
            switch part {
            case .one: text += one
            case .any: text += any
            case .scalar(let literal): text.unicodeScalars.append(contentsOf: scalar(literal).unicodeScalars)
            }
        }
    }
}
