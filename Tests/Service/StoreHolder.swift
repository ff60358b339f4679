/// Another run that has the service's store in its hands.
struct StoreHolder {
    private let container: Container

    /// Returns once it has it.
    init(in container: Container) throws {
        self.container = container
        // F_OFD_SETLKW, with a struct flock for all of the file: the service may not have let go yet.
        let take = """
            open(F, '+>>', $ARGV[0]); $l = pack('ssx4qqix4', 1, 0, 0, 0, 0); fcntl(F, 38, $l) or exit 1;
            system('systemd-notify', '--ready'); sleep
            """
        try container.run(
            "systemd-run", "--unit=holder", "--uid=pruned", "--gid=pruned", "--property=Type=notify",
            "--property=NotifyAccess=all", "perl", "-e", take, "\(FreshService.store)-pruned-lock")
    }

    func stop() throws { try container.run("systemctl", "stop", "holder") }
}
