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
        ["/etc/pruned/presets"] + [besideProgram].compactMap(\.self) + ["/usr/share/pruned/presets"]
    }

    /// For a program in PREFIX/bin, its PREFIX/share.
    private static var besideProgram: String? {
        guard let program = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(program) }
        let parts = String(cString: program).split(separator: "/").dropLast()
        guard parts.last == "bin" else { return nil }
        return (parts.dropLast() + ["share", "pruned", "presets"]).map { "/" + $0 }.joined()
    }
}
