import ArgumentParser

/// The value of an option that is a list: `1,2b,6`.
struct CommaSeparated<Element: LosslessStringConvertible>: ExpressibleByArgument {
    let values: [Element]

    init?(argument: String) {
        let parts = argument.split(separator: ",").map { Element(String($0)) }
        values = parts.compactMap(\.self)
        guard values.count == parts.count else { return nil }
    }
}
