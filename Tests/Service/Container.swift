import Foundation
import TestSupport

/// A booted Debian.
struct Container {
    private let firstProcess: String
    /// The container ends when the input of its script is closed, which the kernel does if nobody else did.
    private let lifeline: RunningProgram

    /// The one of this test run with the service installed in it, as `make install` does it, and not started yet.
    /// Booted when it is first asked for.
    static func shared() throws -> Container { try booted.get() }
    private static let booted = Result {
        let container = try Container()
        try container.install()
        return container
    }

    /// Why no container can run on this machine; nil when one can. Makes the containers' image, the first time.
    static func obstacle() throws -> String? {
        guard Checkout.hasPrograms else { return Checkout.missingPrograms }
        let probe = try Program(script("probe"), inherits: true).run(seconds: 1200)
        guard probe.status != 0 else { return nil }
        return probe.errors.split(separator: "\n").last.map(String.init) ?? "status \(probe.status)"
    }

    private static func script(_ command: String) -> [String] {
        let cache = ProcessInfo.processInfo.environment["PRUNED_TEST_CACHE"] ?? "/var/cache/pruned-tests"
        return ["sh", Checkout.root.appending(path: "Tests/Service/container.sh").path, command, cache]
    }

    /// Boots one that has what the service needs, and nothing of the service.
    init() throws {
        let script = try Program(Self.script("boot"), inherits: true).start(feeds: true)
        try wait(for: "the boot", seconds: 600) { script.output.contains("\n") || !script.isRunning }
        lifeline = script
        firstProcess = script.output.trimmingCharacters(in: .newlines)
        guard !firstProcess.isEmpty else { throw BootFailure(console: script.errors) }
    }

    private func install() throws {
        try Checkout.make("install", into: path("/"))
        // What `make install` does on the system that it runs on.
        try run("systemd-sysusers")
        try run("systemd-tmpfiles", "--create")
        try run("journalctl", "--update-catalog")
        try run("systemctl", "daemon-reload")
    }

    /// Where the tests find a file of the container.
    func path(_ inside: String) -> String { "/proc/\(firstProcess)/root\(inside)" }

    /// Runs a command in the container, and returns how it ended.
    func attempt(_ line: String...) throws -> EndedProgram { try attempt(line) }

    /// Runs a command in the container that must succeed, and returns its output.
    @discardableResult
    func run(_ line: String...) throws -> String {
        try attempt(line).answer().trimmingCharacters(in: .whitespacesAndNewlines)
    }

    /// Runs a shell script in the container that must succeed, and returns its output.
    @discardableResult
    func shell(_ script: String) throws -> String { try run("sh", "-euc", script) }

    func attempt(_ line: [String]) throws -> EndedProgram {
        try Program(
            ["nsenter", "-t", firstProcess, "-m", "-u", "-i", "-n", "-p", "-C", "--"] + line, inherits: true
        ).run()
    }
}

/// The container did not come up.
struct BootFailure: Error, CustomStringConvertible {
    let console: String

    var description: String { "the container did not boot\n\(console)" }
}
