/// Another run that has the service's store in its hands.
struct StoreHolder {
    private let container: Container

    /// Returns once it has it.
    init(in container: Container) throws {
        self.container = container
        let lock = "\(FreshService.store)-pruned-lock"
        // F_OFD_SETLK, with a struct flock for all of the file.
        let take =
            "open(F, '+>>', $ARGV[0]); $l = pack('ssx4qqix4', 1, 0, 0, 0, 0); fcntl(F, 37, $l) or exit 1;"
        try container.run(
            "systemd-run", "--unit=holder", "--uid=pruned", "--gid=pruned", "perl", "-e", take + " sleep",
            lock)
        try eventually("held") { try container.attempt("perl", "-e", take, lock).status != 0 }
    }

    func stop() throws { try container.run("systemctl", "stop", "holder") }
}
