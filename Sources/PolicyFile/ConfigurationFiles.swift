import Glibc
import Retention

/// The files that a configuration is read from: a main file, and over it the `*.toml` of the directory `conf.d`
/// beside it.
package struct ConfigurationFiles: Equatable, Sendable {
    /// The main file; nil where the built-in policy stands in its place.
    package let main: String?
    /// The directory of the others; there need not be one.
    package let dropInDirectory: String
    /// Files that are read as if they lay there: each in the place of the one of its name, or else last.
    package var candidates: [String] = []

    /// The file at `path` and those over it. `exists`: whether there must be one at `path`; else the built-in policy
    /// takes its place.
    package init(_ path: String, exists: Bool = true) {
        main = exists ? path : nil
        // Not by Foundation, which ends the process for "." (seen with Swift 6.3).
        dropInDirectory = (path.lastIndex(of: "/").map { String(path[...$0]) } ?? "") + DropInDirectory.name
    }

    /// Reads all of them, each key of a later file over that of an earlier one.
    ///
    /// Days and longer are counted in `systemTimeZone` when no file names a zone. `user` is whom the program works
    /// as: a file that anybody but this user and root can write is refused.
    package func read(
        systemTimeZone: Zone, user: uid_t = geteuid()
    ) throws(PolicyFileError) -> Configuration {
        let trust = FileTrust(user: user)
        var (base, sources): (ParsedFile?, [SourceText]) = (nil, [])
        if let main {
            try trust.check(directoryOf: main)
            let text = try FileReading.text(at: main, trust: trust)
            sources.append(SourceText(text: text, file: main, name: main.fileName))
        } else {
            base = try Self.builtIn(systemTimeZone)
        }
        try trust.check(directoryOf: dropInDirectory)
        let dropIns = try DropInDirectory(path: dropInDirectory).files(trust)
        for file in candidates.reduce(dropIns, Self.files) {
            try trust.check(directoryOf: file)
            let name = DropInDirectory.name + "/" + file.fileName
            let text = try FileReading.text(at: file, trust: trust)
            sources.append(SourceText(text: text, file: file, name: name))
        }
        return try Configuration(over: base, sources, systemTimeZone: systemTimeZone)
    }
}

extension ConfigurationFiles {
    /// Whether a file of this name is read in that directory.
    package static func readsDropIn(named name: String) -> Bool { DropInDirectory.reads(name) }

    private static func files(_ dropIns: [String], with candidate: String) -> [String] {
        let name = candidate.fileName
        let isNamed = { (file: String) in file.fileName == name }
        return dropIns.contains(where: isNamed)
            ? dropIns.map { isNamed($0) ? candidate : $0 } : dropIns + [candidate]
    }

    private static func builtIn(_ systemTimeZone: Zone) throws(PolicyFileError) -> ParsedFile {
        let file = "the built-in policy"
        do {
            return ParsedFile(try .builtIn(timeZone: systemTimeZone), file: file, name: "built-in")
        } catch {
            throw PolicyFileError(
                file: file, place: .file, reason: "\(error)", hint: "report this as a bug of pruned")
        }
    }
}

extension String {
    /// What stands behind the last slash.
    fileprivate var fileName: String {
        String(self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...])
    }
}
