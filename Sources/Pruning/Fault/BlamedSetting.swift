import Retention
import TerminalText

/// The setting of a configuration that an error is about.
package struct BlamedSetting: Codable, Equatable, Sendable {
    /// Its keys, from `rule` or `store` on.
    package let path: [String]
    /// Its value as a file writes it; nil if the error's cause has it, or if it is not one value that is wrong.
    package let value: String?
    /// Where it is set; nil if unknown. The stores do not know it.
    package private(set) var origin: SettingOrigin?

    package init(_ path: [String], value: String? = nil) {
        self.path = path
        self.value = value
    }

    /// A setting of a rule. Without `keys`, the rule as a whole.
    package init(of rule: Name, _ keys: [String] = [], value: String? = nil) {
        self.init(["rule", rule.description] + keys, value: value)
    }

    /// This setting with its origin, if `origins` has it.
    package func located(by origins: SettingOrigins) -> BlamedSetting {
        var located = self
        located.origin = origin ?? origins.origin(of: path)
        return located
    }
}

extension BlamedSetting: CustomStringConvertible {
    /// As errors in a configuration file name it: the place, the key, and the value.
    package var description: String {
        let key = path.map { $0.isBareKey ? $0 : "\"\($0)\"" }.joined(separator: ".")
        let setting = value.map { "\(key) = \($0)" } ?? key
        return origin.map { "\($0): \(setting)" } ?? setting
    }
}

extension String {
    /// Whether a file may write it as a key without quotes.
    fileprivate var isBareKey: Bool {
        !isEmpty
            && utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

extension String {
    /// As a configuration file writes it.
    package var inQuotes: String {
        "\"" + escapingMarks + "\""
    }
}
