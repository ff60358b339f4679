import FoundationEssentials
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

    /// Where presets were looked for, as text for people.
    var presetPlaces: String { presetDirectories.joined(separator: ", ") }
}

/// The presets that an administrator wrote, then those that came with the program.
enum InstalledPresets {
    static var directories: [String] {
        [DefaultConfiguration.directory + "/presets"]
            + [SharedFiles.checkout.map { $0 + "/systemd/presets" }].compactMap(\.self)
            + SharedFiles.directories.map { $0 + "/pruned/presets" }
    }
}

/// Where files that came with the program are.
enum SharedFiles {
    /// PREFIX/share for a program in PREFIX/bin, and those of `$XDG_DATA_DIRS`, by default /usr/local/share and /usr/share.
    static var directories: [String] {
        let named = ProcessInfo.processInfo.environment["XDG_DATA_DIRS"]?.split(separator: ":").map(
            String.init)
        let absolute = (named ?? []).filter { $0.hasPrefix("/") }
        return [besideProgram].compactMap(\.self)
            + (absolute.isEmpty ? ["/usr/local/share", "/usr/share"] : absolute)
    }

    /// The source tree, for a program that was built there: CHECKOUT/.build/TRIPLE/debug/pruned.
    static var checkout: String? {
        guard let build = program.lastIndex(of: ".build"), (2...3).contains(program.count - 1 - build)
        else { return nil }
        return program[..<build].map { "/" + $0 }.joined()
    }

    /// The drop-in that lets a unit reach a server on another host; nil if it is not installed.
    static var serverDropIn: String? {
        directories.map { $0 + "/doc/pruned/examples/postgresql.conf" }.first { access($0, R_OK) == 0 }
    }

    private static var besideProgram: String? {
        let directory = program.dropLast()
        guard directory.last == "bin" else { return nil }
        return (directory.dropLast() + ["share"]).map { "/" + $0 }.joined()
    }

    /// The parts of the program's path.
    private static let program: [String] = {
        guard let program = realpath("/proc/self/exe", nil) else { return [] }
        defer { free(program) }
        return String(cString: program).split(separator: "/").map(String.init)
    }()
}
