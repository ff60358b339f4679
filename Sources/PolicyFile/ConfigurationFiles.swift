import Glibc
import Retention

/// The files of a configuration: a main file, and the `*.toml` files in the directory `conf.d` beside it, which
/// override it.
package struct ConfigurationFiles: Equatable, Sendable {
    /// The path of the main file.
    package let path: String
    /// The main file; nil if there is none.
    package let main: String?
    /// The directory of the drop-in files. It need not exist.
    package let dropInDirectory: String
    /// The directories with presets, from the first to the last that is looked into.
    package var presetDirectories: [String]
    /// Files to read as if they were in that directory. Each replaces the file with the same name, or else comes last.
    package var candidates: [String] = []

    /// The file at `path` and its drop-ins. `exists` says whether there is a file at `path`; then it must be readable.
    package init(_ path: String, exists: Bool = true) {
        self.path = path
        main = exists ? path : nil
        // Not with Foundation, which ends the process for "." (seen with Swift 6.3).
        let directory = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
        dropInDirectory = directory + DropInDirectory.name
        presetDirectories = [directory + Preset.directory]
    }

    /// Reads all files. A key in a later file overrides the same key in an earlier one. They override the built-in
    /// policy while no store is configured, see ``Configuration/isBuiltIn``.
    ///
    /// Days and longer units are counted in `systemTimeZone` when no file names a zone. `user` is the user that the
    /// program works as. A file that other users than this one and root can write is refused; if `user` is nil, none is.
    package func read(
        systemTimeZone: Zone, user: uid_t? = geteuid()
    ) throws(PolicyFileError) -> Configuration {
        let trust = FileTrust(user: user)
        var sources: [SourceText] = []
        if let main {
            try trust.check(directoryOf: main)
            let text = try FileReading.text(at: main, trust: trust)
            sources.append(SourceText(text: text, file: main, name: main.fileName))
        }
        try trust.check(directoryOf: dropInDirectory)
        let dropIns = try DropInDirectory(path: dropInDirectory).files(trust)
        for file in candidates.reduce(dropIns, Self.files) {
            try trust.check(directoryOf: file)
            let name = DropInDirectory.name + "/" + file.fileName
            let text = try FileReading.text(at: file, trust: trust)
            sources.append(SourceText(text: text, file: file, name: name))
        }
        return try Configuration(
            over: Self.builtIn(systemTimeZone), main: main, sources, library: presets(user: user),
            systemTimeZone: systemTimeZone)
    }
}

extension ConfigurationFiles {
    /// The presets that these files may use. `user` is the user that the program works as.
    package func presets(user: uid_t? = geteuid()) -> PresetLibrary {
        PresetLibrary(directories: presetDirectories, user: user)
    }

    /// Whether conf.d reads a file with this name.
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
    /// The part after the last slash.
    fileprivate var fileName: String {
        String(self[(lastIndex(of: "/").map(index(after:)) ?? startIndex)...])
    }
}
