import Glibc
import PolicyFile

extension ConfigurationFiles {
    /// These files with the presets that are installed, after those beside the files.
    var withInstalledPresets: ConfigurationFiles {
        var files = self
        for directory in InstalledPresets.directories where !files.presetDirectories.contains(directory) {
            files.presetDirectories.append(directory)
        }
        return files
    }
}

/// The presets that an administrator wrote, then those that came with the program.
enum InstalledPresets {
    static var directories: [String] {
        ["/etc/pruned/presets"] + SharedFiles.directories.map { $0 + "/pruned/presets" }
    }
}

/// Where files that came with the program are.
enum SharedFiles {
    /// PREFIX/share for a program in PREFIX/bin, and /usr/share.
    static var directories: [String] { [besideProgram].compactMap(\.self) + ["/usr/share"] }

    /// The drop-in that lets a unit reach a server on another host; nil if it is not installed.
    static var serverDropIn: String? {
        directories.map { $0 + "/doc/pruned/examples/postgresql.conf" }.first { access($0, R_OK) == 0 }
    }

    private static var besideProgram: String? {
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        let parts = String(cString: program).split(separator: "/").dropLast()
        guard parts.last == "bin" else { return nil }
        return (parts.dropLast() + ["share"]).map { "/" + $0 }.joined()
    }
}
