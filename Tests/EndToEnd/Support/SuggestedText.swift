/// What `pruned suggest` prints for a database of no known app, where nothing is in force.
struct SuggestedText {
    /// The table of the store, in force.
    let store: String
    /// The table of each rule, in force.
    let rules: [String]

    init(_ output: String) {
        let sections = output.split(separator: "\n", omittingEmptySubsequences: false).reduce(
            into: [[String]]()
        ) { sections, line in
            if line.hasPrefix("# [store.") || line.hasPrefix("# [rule.") {
                sections.append([String(line.dropFirst(2))])
            } else if line.hasPrefix("# "), var last = sections.popLast() {
                last.append(String(line.dropFirst(2)))
                sections.append(last)
            } else {
                sections.append([])
            }
        }.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }
        store = sections.first { $0.hasPrefix("[store.") } ?? ""
        rules = sections.filter { $0.hasPrefix("[rule.") }
    }

    /// All of it, in force.
    var inForce: String { ([store] + rules).joined(separator: "\n") + "\n" }
}
