import Glibc

/// The text of a configuration file, before it is parsed.
struct SourceText {
    let text: String
    /// The file's name in errors.
    let file: String
    /// The file's short name, which distinguishes it from the others.
    let name: String

    /// Parses the file.
    func parsed() throws(PolicyFileError) -> ParsedFile {
        try checkForTheParser()
        do {
            return ParsedFile(table: try TOMLTable(parsing: text), file: file, name: name)
        } catch {
            throw error.isOutOfMemory ? .unreadable(file, ENOMEM) : syntaxError(error)
        }
    }

    private func checkForTheParser() throws(PolicyFileError) {
        var check = ParserGuard(text)
        do {
            try check.check()
        } catch {
            throw PolicyFileError(
                file: file, place: .line(error.line, column: error.column),
                reason: "syntax error: \(error.reason)", hint: error.hint)
        }
    }

    private func syntaxError(_ error: TOMLError) -> PolicyFileError {
        PolicyFileError(
            file: file, place: error.position.map { .line($0.line, column: $0.column) } ?? .file,
            reason: "syntax error in \(error.reason.droppingPrefix)",
            hint: Redefinition(error.reason)?.hint(in: text, line: error.position?.line ?? 1)
                ?? "text and spans stand in double quotes (keep = \"30d\"), numbers and true or false do not")
    }
}

extension String {
    fileprivate var droppingPrefix: Substring {
        let prefix = "Error while parsing "
        return hasPrefix(prefix) ? dropFirst(prefix.count) : Substring(self)
    }
}
