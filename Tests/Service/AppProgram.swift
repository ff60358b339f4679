import Foundation

/// The reading app, run in the container by its own user as a transient unit, so that it goes on beside the test.
struct AppProgram {
    private let container: Container
    private let unit: String

    /// Stops whatever of this kind a test has left.
    static let everyUnit = "reader-*"

    /// Starts `reader` with these arguments on the service's store.
    init(_ arguments: String..., in container: Container) throws {
        self.container = container
        unit = "reader-\(UUID().uuidString)"
        let start = [
            "systemd-run", "--quiet", "--unit=\(unit)", "--uid=app", "--property=RemainAfterExit=yes",
        ]
        _ = try container.attempt(
            start + ["reader"] + arguments + ["--state-dir", FreshService.stateDirectory]
        ).answer()
    }

    /// What it has written so far, to standard output and standard error.
    func output() throws -> String {
        try container.run("journalctl", "--unit=\(unit)", "--output=cat", "--no-pager", "_TRANSPORT=stdout")
    }

    /// Whether it has not ended yet.
    func isRunning() throws -> Bool { try property("SubState") == "running" }

    /// Its exit status, once it has ended; 0 before.
    func status() throws -> String { try property("ExecMainStatus") }

    func stop() throws { try container.run("systemctl", "stop", unit) }

    private func property(_ name: String) throws -> String {
        try container.run("systemctl", "show", "--property=\(name)", "--value", unit)
    }
}
