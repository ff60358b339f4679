import Foundation
import TestSupport

/// The sources and the release build that the tests install from.
enum Checkout {
    static let root = URL(filePath: #filePath).appending(path: "../../..").standardized

    /// Where the release build's programs are: `PRUNED_BIN_DIR`, or else where `make build` puts them.
    static let programs =
        ProcessInfo.processInfo.environment["PRUNED_BIN_DIR"] ?? root.appending(path: ".build/release").path

    /// Whether a test that cannot run here fails, instead of being skipped.
    static let isInCI = ProcessInfo.processInfo.environment["CI"] == "true"

    static var hasPrograms: Bool { FileManager.default.isExecutableFile(atPath: programs + "/pruned") }

    static var missingPrograms: String { "no release build in \(programs): use `make test`" }

    static var hasPackagingTools: Bool {
        ["dh", "dpkg-deb", "lintian"].allSatisfy {
            FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)")
        }
    }

    /// `make install` or `make uninstall`, with `destination` as the root directory.
    static func make(_ target: String, into destination: String, _ variables: String...) throws {
        try make([target, "DESTDIR=\(destination)"] + variables, seconds: 60)
    }

    /// Builds the Debian packages in a directory, and returns that of the service. The reader's is compressed less than for
    /// people, for whom that takes a minute.
    static func makePackages(in directory: URL) throws -> (service: URL, reader: URL) {
        try make(["package", "PACKAGES=\(directory.path)", "COMPRESSION=-Zgzip -z1"], seconds: 600)
        let files = try FileManager.default.contentsOfDirectory(
            at: directory, includingPropertiesForKeys: nil)
        let service = files.first {
            $0.lastPathComponent.wholeMatch(of: #/pruned_[0-9.]+_[a-z0-9]+\.deb/#) != nil
        }
        let reader = files.first { $0.lastPathComponent.hasPrefix("pruned-reader_") }
        guard let service, let reader, files.count == 2 else {
            throw UnexpectedFiles(files: files.map(\.path))
        }
        return (service, reader)
    }

    private static func make(_ arguments: [String], seconds: Int) throws {
        // MAKEFLAGS would pass on what the `make test` around this was called with.
        let line = ["env", "--unset=MAKEFLAGS", "make", "-C", root.path, "BIN_DIR=\(programs)"]
        try Program(line + arguments, inherits: true).answer(seconds: Double(seconds))
    }
}

/// Other files than were to be made.
struct UnexpectedFiles: Error {
    let files: [String]
}
