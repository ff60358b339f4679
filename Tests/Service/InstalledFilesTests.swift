import Foundation
import Testing

extension ServiceTests {
    @Suite("What is installed beside the unit")
    struct InstalledFilesTests {
        let container: Container

        init() throws { container = try Container.shared() }

        @Test("there is a user and group for the service")
        func user() throws {
            let fields = try container.run("getent", "passwd", "pruned").split(separator: ":")
            #expect(fields.contains("/var/lib/pruned"))
            #expect(try container.run("id", "-gn", "pruned") == "pruned")
        }

        @Test("the state directory hands its group down, and is closed to others")
        func stateDirectory() throws {
            #expect(try container.run("stat", "-c", "%a %U %G", "/var/lib/pruned") == "2750 pruned pruned")
        }

        @Test("the journal's catalog has every entry of ours")
        func catalog() throws {
            let source = Checkout.root.appending(path: "systemd/pruned.catalog")
            let lines = try String(contentsOf: source, encoding: .utf8).split(separator: "\n")
            let ids = lines.filter { $0.hasPrefix("-- ") }.map { $0.dropFirst(3) }
            #expect(Set(ids).count == 13)
            let catalog = try container.run("journalctl", "--list-catalog")
            for id in ids { #expect(catalog.contains("\(id) pruned: ")) }
        }

        @Test("the programs find every library that they need", arguments: ["pruned", "reader"])
        func libraries(program: String) throws {
            #expect(try !container.run("ldd", "/usr/local/bin/\(program)").contains("not found"))
        }
    }
}
