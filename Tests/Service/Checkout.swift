import Foundation

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

    /// `make install` or `make uninstall`, with `destination` as the root directory.
    static func make(_ target: String, into destination: String, _ variables: String...) throws {
        // MAKEFLAGS would pass on what the `make test` around this was called with.
        _ = try Command.run(
            ["env", "--unset=MAKEFLAGS", "make", "-C", root.path, target, "DESTDIR=\(destination)"]
                + ["BIN_DIR=\(programs)"] + variables
        ).checked()
    }
}
