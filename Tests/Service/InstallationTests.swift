import Foundation
import TestSupport
import Testing

@Suite("Installing", .enabled(if: Checkout.hasPrograms || Checkout.isInCI, "\(Checkout.missingPrograms)"))
struct InstallationTests {
    let root = FileManager.default.temporaryDirectory.appending(path: "pruned-install-\(UUID())")

    @Test("a first installation has the example without its store and rules: the built-in policy is in force")
    func firstInstallation() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try Checkout.make("install", into: root.path, "PREFIX=/usr")
        let check = try Program(
            [
                root.path + "/usr/bin/pruned", "check", "--config-only", "--config", configuration.path,
            ], inherits: true
        ).answer()
        #expect(check.contains("built-in, while no store is configured"))
        let installed = try String(contentsOf: configuration, encoding: .utf8)
        #expect(installed.contains("\n[guard]\n") && installed.contains("\n#[store.reader]\n"))
        let example = root.appending(path: "usr/share/doc/pruned/examples/pruned.toml")
        let active = try String(contentsOf: example, encoding: .utf8)
        #expect(installed.replacing(/\n#(?=[\[a-z])/, with: "\n") == active)
    }

    @Test(
        "the alerts and the dashboard lie beside the example",
        arguments: ["pruned.rules.yml", "pruned.grafana.json"])
    func alerts(name: String) throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try Checkout.make("install", into: root.path, "PREFIX=/usr")
        let installed = root.appending(path: "usr/share/doc/pruned/examples/\(name)")
        let source = Checkout.root.appending(path: "systemd/\(name)")
        #expect(FileManager.default.contentsEqual(atPath: installed.path, andPath: source.path))
    }

    @Test("each preset lies where the program in PREFIX/bin looks", arguments: ["/usr", "/usr/local"])
    func presets(prefix: String) throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try Checkout.make("install", into: root.path, "PREFIX=\(prefix)")
        let source = Checkout.root.appending(path: "systemd/presets").path
        let presets = try FileManager.default.contentsOfDirectory(atPath: source).sorted()
        let installed = root.appending(path: prefix + "/share/pruned/presets").path
        #expect(try FileManager.default.contentsOfDirectory(atPath: installed).sorted() == presets)
        let program = root.path + prefix + "/bin/pruned"
        let listed = try Program([program, "presets", "--json", "--state-dir", root.path], inherits: true)
            .answer()
        #expect(listed.replacing("\\/", with: "/").contains(installed + "/newsboat.toml"))
    }

    @Test("an edited configuration survives installing and uninstalling, and so does the state")
    func keepsWhatBelongsToTheUser() throws {
        defer { try? FileManager.default.removeItem(at: root) }
        let state = root.appending(path: "var/lib/pruned/shared/reader.sqlite")
        for file in [configuration, state] {
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data("edited".utf8).write(to: file)
        }
        try Checkout.make("install", into: root.path, "PREFIX=/usr")
        #expect(try String(contentsOf: configuration, encoding: .utf8) == "edited")
        try Checkout.make("uninstall", into: root.path, "PREFIX=/usr")
        let left = try Program(["find", root.path, "-type", "f", "-printf", "%P %s\n"], inherits: true)
            .answer()
        #expect(
            Set(left.split(separator: "\n")) == [
                "etc/pruned/pruned.toml 6", "var/lib/pruned/shared/reader.sqlite 6",
            ])
    }

    @Test(
        "manual pages and completions lie where man and the shells of Debian look",
        arguments: ["/usr", "/usr/local"])
    func manual(prefix: String) throws {
        defer { try? FileManager.default.removeItem(at: root) }
        try Checkout.make("install", into: root.path, "PREFIX=\(prefix)")
        let zsh = prefix == "/usr" ? "vendor-completions" : "site-functions"
        let expected = [
            "man/man1/pruned.1", "man/man1/reader.1", "man/man5/pruned.toml.5",
            "man/man7/pruned-safety.7", "man/man8/pruned.service.8",
            "bash-completion/completions/pruned", "bash-completion/completions/reader",
            "zsh/\(zsh)/_pruned", "zsh/\(zsh)/_reader",
            "fish/vendor_completions.d/pruned.fish", "fish/vendor_completions.d/reader.fish",
        ]
        for name in expected {
            let file = root.appending(path: prefix + "/share/" + name).path
            #expect(FileManager.default.contents(atPath: file)?.isEmpty == false, "\(name)")
        }
    }

    private var configuration: URL { root.appending(path: "etc/pruned/pruned.toml") }
}
