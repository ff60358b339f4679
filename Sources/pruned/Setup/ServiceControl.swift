import DefaultStore
import Glibc
import TerminalText

/// The systemctl command for the service of a state directory: the system's, a user's instance, or a user's own.
struct ServiceControl {
    private let program: String
    private let unit: String

    /// The service on `stateDirectory`, for the user of this process. Make it before ``Privileges/assumeOwner(of:)``.
    init(stateDirectory: String) {
        let caller = geteuid()
        var status = stat()
        let owner = stat(stateDirectory, &status) == 0 ? status.st_uid : caller
        if let instance = UserInstance(workingOn: stateDirectory) {
            // Only root controls it.
            program = (Privileges.isBySudo || caller != 0 ? "sudo " : "") + "systemctl"
            unit = "pruned@\(instance.user)"
            return
        }
        unit = "pruned"
        guard Self.isOfUser(stateDirectory, owner) else {
            program = (Privileges.isBySudo ? "sudo " : "") + "systemctl"
            return
        }
        // Root's own user manager does not manage another user's service.
        let machine = caller == owner ? nil : Account.name(of: owner)
        let sudo = Privileges.isBySudo && machine != nil ? "sudo " : ""
        program = sudo + "systemctl --user" + (machine.map { " --machine=\($0)@" } ?? "")
    }

    /// For example, `command("reload")` is "systemctl reload pruned".
    func command(_ verb: String) -> String { "\(program) \(verb) \(unit)" }

    /// The system's service may also run as the user of an app, but then it uses the system's state directory.
    private static func isOfUser(_ directory: String, _ owner: uid_t) -> Bool {
        directory != StateDirectory.system && owner != 0
            && Account.name(of: owner) != StateDirectory.serviceUser
    }
}
