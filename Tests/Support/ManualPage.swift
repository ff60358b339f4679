import Foundation

/// A manual page of this checkout, parsed as far as tests need it.
package struct ManualPage: Sendable {
    /// A section, or a part of one.
    package struct Part: Sendable {
        /// The title of the section.
        package let section: String
        /// The title of the part, without its arguments. Empty for the beginning of the section.
        package let title: String
        /// The list items in it.
        package var items: [Item] = []
        /// Its lines, including those of the items.
        package var lines: [String] = []
    }

    /// A list item.
    package struct Item: Sendable {
        /// The line with its name or names.
        package let head: String
        /// Its text.
        package var lines: [String] = []

        /// The names, without the macros that mark them.
        package var names: [String] {
            head.split(separator: " ").map(String.init).filter { $0 != "," && !Self.macros.contains($0) }
        }

        /// The options among the names.
        package var options: [String] { ManualPage.options(in: ".It " + head) }

        private static let macros: Set = ["Ic", "Dv", "Ev", "Li", "Pa", "Fl", "Ar", "No"]
    }

    package let name: String
    /// The sections and their parts, in order.
    package let parts: [Part]
    /// The whole text, with its escapes resolved.
    package let text: String

    /// The path of the page.
    package var path: String { Self.directory + "/" + name }

    private static let directory = URL(filePath: #filePath).appending(path: "../../../systemd/man")
        .standardized.path

    /// All pages.
    package static func all() throws -> [ManualPage] {
        try FileManager.default.contentsOfDirectory(atPath: directory).sorted().map(ManualPage.init)
    }

    /// Reads the page from the file of this name.
    package init(_ name: String) throws {
        self.name = name
        text = try String(contentsOfFile: Self.directory + "/" + name, encoding: .utf8)
            .replacing("\\(dq", with: "\"").replacing("\\&", with: "")
        var parts: [Part] = []
        for line in text.split(separator: "\n").map(String.init) {
            if line.hasPrefix(".Sh ") {
                parts.append(Part(section: String(line.dropFirst(4)), title: ""))
            } else if line.hasPrefix(".Ss ") {
                let words = line.dropFirst(4).split(separator: " ").prefix { !["Ar", "Op"].contains($0) }
                parts.append(Part(section: parts.last?.section ?? "", title: words.joined(separator: " ")))
            } else if !parts.isEmpty {
                parts[parts.count - 1].take(line)
            }
        }
        self.parts = parts
    }

    /// The parts of a section; if `title` is given, only those with this title.
    package func parts(_ section: String, _ title: String? = nil) -> [Part] {
        parts.filter { $0.section == section && (title == nil || $0.title == title) }
    }

    /// The list items of a section, or of a part of it.
    package func items(_ section: String, _ title: String? = nil) -> [Item] {
        parts(section, title).flatMap(\.items)
    }

    /// The options that a line marks as such: `--rule`, `-h`.
    package static func options(in line: some StringProtocol) -> [String] {
        guard line.hasPrefix(".") else { return [] }
        return String(line).matches(of: /\bFl (-?[a-z][a-z-]*)/).map { "-" + $0.output.1 }
    }

    /// The command lines of `program` on the page, without the program's name.
    package func commandLines(of program: String) -> [[String]] {
        text.split(separator: "\n").compactMap { line in
            var words = line.split(separator: " ").map(String.init)
            if let first = words.first, [".Ql", ".Dl", ".Li"].contains(first) { words.removeFirst() }
            guard words.first == program else { return nil }
            return Array(words.dropFirst().prefix { !["|", "&&", ";"].contains($0) })
        }
    }
}

extension ManualPage.Part {
    fileprivate mutating func take(_ line: String) {
        lines.append(line)
        if line.hasPrefix(".It ") {
            items.append(ManualPage.Item(head: String(line.dropFirst(4))))
        } else if !items.isEmpty {
            items[items.count - 1].lines.append(line)
        }
    }
}
