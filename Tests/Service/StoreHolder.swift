/// Another run that has the service's store in its hands.
struct StoreHolder {
    private let container: Container

    /// Returns once it has it.
    init(in container: Container) throws {
        self.container = container
        let lock = "\(FreshService.store)-pruned-lock"
        try container.run(
            "systemd-run", "--unit=holder", "--uid=pruned", "--gid=pruned", "flock", lock, "sleep", "infinity"
        )
        try eventually("held") { try container.attempt("flock", "-n", lock, "true").status != 0 }
    }

    func stop() throws { try container.run("systemctl", "stop", "holder") }
}
