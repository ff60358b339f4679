import Foundation
import TestSupport

/// A person with a systemd of their own, and nothing of pruned's yet.
struct UserService {
    static let home = "/home/alice"
    static let state = home + "/.local/state/pruned"
    static let configuration = home + "/.config/pruned/pruned.toml"

    let container: Container
    private let id: String

    init() throws {
        container = try Container.shared()
        try container.shell(
            """
            id alice > /dev/null 2>&1 || useradd --create-home alice
            loginctl enable-linger alice
            """)
        id = try container.run("id", "-u", "alice")
        let user = self
        try eventually("alice's systemd is up") {
            _ = try user.systemctl("reset-failed")  // what an earlier test let fail
            return try user.systemctl("is-system-running").output == "running\n"
        }
        try systemctl("stop", "pruned").answer()
        try container.run("cp", "/usr/local/share/doc/pruned/examples/pruned.toml", "/etc/pruned/pruned.toml")
        try container.shell("cd \(Self.home) && rm -rf .local .config/pruned && install -d -o alice .config")
    }

    /// Runs a command as alice, with what a login sets.
    func attempt(_ line: [String]) throws -> EndedProgram {
        try container.attempt(
            ["runuser", "-u", "alice", "--", "env", "HOME=\(Self.home)", "XDG_RUNTIME_DIR=/run/user/\(id)"]
                + line)
    }

    @discardableResult
    func run(_ line: String...) throws -> String { try attempt(line).answer() }

    func systemctl(_ arguments: String...) throws -> EndedProgram {
        try attempt(["systemctl", "--user"] + arguments)
    }

    /// Returns once alice's systemd has the service's READY=1.
    func start() throws { try systemctl("start", "pruned").answer() }

    /// What alice's systemd knows of the unit.
    func property(_ name: String) throws -> String {
        try systemctl("show", "--property=\(name)", "--value", "pruned").answer()
    }

    /// What the service, and alice's systemd about it, wrote since the service was last started, a line each.
    func journal(_ options: String...) throws -> String {
        let start = "_SYSTEMD_INVOCATION_ID=" + (try property("InvocationID"))
        let about = "USER_INVOCATION_ID=" + (try property("InvocationID"))
        return try container.attempt(
            ["journalctl", "--output=cat", "--no-pager", "--quiet"] + options + [start, "+", about]
        ).answer()
    }
}
