import TestSupport
import Foundation
import Testing

/// A configuration file with a password, which the service must be able to read and others must not.
@Suite(.enabled(if: geteuid() == 0, "needs root")) struct SecretFilesTests {
    private func state() throws -> (StateDirectory, file: String) {
        let state = try StateDirectory()
        _ = try state.sandbox.makeDirectory("state")
        try AnotherUser.app.own(state.path, mode: 0o750)
        chmod(state.sandbox.path, 0o755)
        let file = try state.configuration(
            """
            [store.s]
            url = "postgresql://ada:geheim@/news?host=/nowhere"
            [rule.r]
            table = "entries"
            age_column = "at"
            keep = "30d"
            """)
        return (state, file)
    }

    @Test(
        "too open or too closed, the advice is the same: root's, and readable by the service's group",
        arguments: [0o644, 0o600] as [mode_t])
    func advice(mode: mode_t) throws {
        let (state, file) = try state()
        chmod(file, mode)
        let command = "chown root:4712 \(file); chmod 0640 \(file)"
        let said = { () throws in
            try state.pruned("check", "--config", file).run().output.replacing(#/ \\\n +/#, with: " ")
                .split(whereSeparator: \.isWhitespace).joined(separator: " ")
        }
        let before = try said()
        #expect(before.contains("`\(command)`") && !before.contains("0644)`"), "\(before)")
        #expect(!before.contains("must be able to (mode 0644)"), "\(before)")
        try Program(path: "sh", arguments: ["-ec", command]).run().checked()
        let after = try said()
        #expect(after.contains("ok: \(file)"), "\(after)")
        #expect(!after.contains("can read it") && !after.contains("has a password"), "\(after)")
    }

    @Test("in its place, a file with a password that the service cannot read gets the same advice")
    func inPlace() throws {
        let etc = try OwnEtc()
        let (other, file) = try state()
        var state = other
        state.prefix = etc.prefix
        try etc.write("pruned.toml", String(contentsOfFile: file, encoding: .utf8), mode: 0o600)
        let refused = try state.pruned("check").run()
        let path = "/etc/pruned/pruned.toml"
        #expect(refused.status == 78 && refused.output.contains("WRONG: \(path)"), "\(refused)")
        #expect(refused.errors.contains("`chown root:4712 \(path); chmod 0640 \(path)`"), "\(refused)")
        #expect(!refused.errors.contains("chmod a+r"), "\(refused)")
    }
}
