import Foundation
import Testing

extension ServiceTests {
    /// A database of a server, as pruned-postgresql(7) says it.
    @Suite("A PostgreSQL database", .enabled(if: ContainerServer.version != nil, "needs postgresql"))
    struct PostgreSQLTests {
        let service: FreshService
        private let server: ContainerServer
        private static let example = "/usr/local/share/doc/pruned/examples/postgresql.conf"
        private static let passwords = "/etc/pruned/pgpass"
        private static let serviceFile = "/etc/pruned/pg_service.conf"

        init() throws {
            service = try FreshService()
            try service.container.run("rm", "-f", Self.passwords, Self.serviceFile)
            server = try ContainerServer(in: service.container)
        }

        private func configure(url: String) throws {
            let policy = """
                [store.news]
                url = "\(url)"
                [rule.entries]
                table = "entries"
                age_column = "created_at"
                keep = "30d"
                where = "status = 'read'"
                [guard]
                min_rows = 1000
                """
            try write(policy, to: FreshService.configuration)
        }

        private func write(_ text: String, to path: String) throws {
            try Data(text.utf8).write(to: URL(filePath: service.container.path(path)))
        }

        /// Installs the example's drop-in, without the comment signs of the lines that begin like this.
        private func installExample(with lines: [String] = []) throws {
            var text = try service.container.run("cat", Self.example)
            for line in lines { text = text.replacing("\n# " + line, with: "\n" + line) }
            try service.container.run("mkdir", "-p", "/etc/systemd/system/pruned.service.d")
            try write(text + "\n", to: "/etc/systemd/system/pruned.service.d/postgresql.conf")
            try service.container.run("systemctl", "daemon-reload")
        }

        private func expectPruned() throws {
            try service.start()
            try eventually("pruned") {
                try service.journal().contains { $0.message.hasPrefix("entries: deleted 60") }
            }
            #expect(try server.rows() == 40)
            #expect(try service.journal().allSatisfy { !$0.message.contains(ContainerServer.password) })
        }

        @Test("by its socket the service is let in as the role of its user, and needs no drop-in")
        func peer() throws {
            try configure(url: "postgresql:///news")
            for command in ["check", "plan"] {
                let looked = try service.container.attempt("pruned", command)
                #expect(looked.status == 0, "\(looked)")
            }
            try expectPruned()
        }

        @Test("over TCP the example's drop-in opens the network, and check says so before it is there")
        func password() throws {
            try configure(url: "host=127.0.0.1 dbname=news user=pruned passfile=\(Self.passwords)")
            try write("127.0.0.1:*:*:pruned:\(ContainerServer.password)\n", to: Self.passwords)
            try service.container.shell("chown pruned: \(Self.passwords); chmod 600 \(Self.passwords)")
            try service.container.run("systemctl", "enable", "--quiet", "pruned")
            defer { _ = try? service.container.run("systemctl", "disable", "--quiet", "pruned") }
            let bad = try service.container.attempt("pruned", "check")
            #expect(bad.status == 74 && bad.output.contains("cannot connect to 127.0.0.1"), "\(bad)")
            let told = bad.errors.split(whereSeparator: \.isWhitespace).joined(separator: " ")
            #expect(told.contains("\"PrivateNetwork=no\"") && told.contains(Self.example), "\(bad)")
            // The server may be there later, so the service stays, and says what it lacks.
            try service.start()
            try eventually("said") {
                try service.journal().contains { $0.message.hasPrefix("entries: failed: cannot connect") }
            }
            #expect(try server.rows() == 100)
            try service.container.run("systemctl", "stop", "pruned")

            try installExample()
            let good = try service.container.attempt("pruned", "check")
            #expect(good.status == 0, "\(good)")
            #expect(good.output.contains("it can write and connect where it must"), "\(good)")
            try expectPruned()
        }

        @Test("a service file that root alone can read reaches the service as a credential")
        func credential() throws {
            try configure(url: "service=news")
            try write(
                "[news]\nhost=127.0.0.1\ndbname=news\nuser=pruned\npassword=\(ContainerServer.password)\n",
                to: Self.serviceFile)
            try service.container.run("chmod", "600", Self.serviceFile)
            try installExample(with: ["LoadCredential=", "Environment="])
            try expectPruned()
        }

        @Test("systemd finds nothing wrong with the example")
        func verifies() throws {
            try installExample(with: ["LoadCredential=", "Environment="])
            let verification = try service.container.attempt("systemd-analyze", "verify", "pruned.service")
            #expect(
                verification.status == 0 && verification.output + verification.errors == "", "\(verification)"
            )
        }
    }
}
