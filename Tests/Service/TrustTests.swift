import Testing

extension ServiceTests {
    /// Who may write what the service does.
    @Suite("The configuration's file")
    struct TrustTests {
        let service: FreshService

        init() throws { service = try FreshService() }

        @Test("what a group may write is refused where the group is also another user's primary one")
        func primaryGroup() throws {
            let container = service.container
            let file = FreshService.configuration
            try container.shell("chown pruned:pruned \(file); chmod 664 \(file); gpasswd --delete app pruned")
            defer {
                _ = try? container.shell(
                    "userdel bob; chown root:root \(file); chmod 644 \(file); usermod -aG pruned app")
            }
            #expect(try container.attempt("pruned", "check").status == 0)
            try container.run("useradd", "--no-create-home", "--gid=pruned", "bob")
            let refused = try container.attempt("pruned", "check")
            #expect(refused.status == 78, "\(refused)")
            #expect(refused.errors.contains("group pruned"), "\(refused)")
        }
    }
}
