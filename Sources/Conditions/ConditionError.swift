/// Why a text is no condition, or none on the rows of a table.
package struct ConditionError: Error, Equatable {
    /// Continues "the condition ...".
    package let reason: String
    package let hint: String?
    /// Where in the text, in bytes of UTF-8 from 0 on; nil if it is the whole.
    package let offset: Int?

    package init(_ reason: String, hint: String? = nil, at offset: Int? = nil) {
        (self.reason, self.hint, self.offset) = (reason, hint, offset)
    }

    /// What is said of the condition `text`: the reason and, for people, at which character, from 1 on.
    package func cause(in text: String) -> String {
        guard let offset else { return reason }
        return reason
            + ", at character \(String(decoding: text.utf8.prefix(offset), as: UTF8.self).count + 1)"
    }
}
