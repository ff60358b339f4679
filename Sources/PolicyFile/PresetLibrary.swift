import Glibc
import Retention

/// The directories with preset files. A preset in an earlier directory replaces one of its name in a later one.
package struct PresetLibrary: Sendable {
    let directories: [String]
    let trust: FileTrust

    /// `user` is the user that the program works as; nil if the files are only examined.
    package init(directories: [String], user: uid_t? = geteuid()) {
        self.directories = directories
        trust = FileTrust(user: user)
    }

    /// The preset; nil if there is none. Only root and the user may be able to write its file.
    package func preset(named name: Name) throws(PolicyFileError) -> Preset? {
        guard let (file, text) = try text(named: name) else { return nil }
        return try Preset(name, file: file, text: text)
    }

    /// The file of the preset and what it says, whatever that is.
    package func text(named name: Name) throws(PolicyFileError) -> (file: String, text: String)? {
        for directory in directories where name.family == nil {
            let file = directory + "/\(name).toml"
            var status = stat()
            guard lstat(file, &status) == 0 || (errno != ENOENT && errno != ENOTDIR) else { continue }
            try trust.check(directoryOf: file)
            return (file, try FileReading.text(at: file, trust: trust))
        }
        return nil
    }

    /// The names of all presets, sorted.
    package func names() throws(PolicyFileError) -> [Name] {
        var names: Set<Name> = []
        for directory in directories {
            for file in try DropInDirectory(path: directory).files(trust) {
                let name = file.dropFirst(directory.count + 1).dropLast(".toml".count)
                if let name = Name(String(name)) { names.insert(name) }
            }
        }
        return names.sorted()
    }
}
