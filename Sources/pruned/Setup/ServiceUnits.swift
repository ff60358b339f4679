import Foundation
import Pruning
import ReaderStore
import Systemd

/// The units that run this program on a state directory, as they are on this machine; none where no systemd runs.
struct ServiceUnits {
    private static let daemon = "pruned.service"
    private static let run = "pruned-run.service"
    /// What starts ``run``.
    private static let timer = "pruned-run.timer"

    /// Those of the system.
    static var system: [ManagedUnit] { ServiceManager.system.units([daemon, run]) }

    /// Each, and whether it is in use: the others need not fit.
    let units: [(unit: ManagedUnit, isInUse: Bool)]
    private let manager: ServiceManager

    /// To be asked before ``Privileges/assumeOwner(of:)``: where there is no bus, only root is told.
    init(workingOn stateDirectory: String) {
        let isSystem =
            geteuid() == 0 || Privileges.userName == StateDirectory.serviceUser
            || stateDirectory == StateDirectory.system
        manager = isSystem ? .system : .user
        let usual =
            isSystem
            ? StateDirectory.system
            : StateDirectory.resolve(
                option: nil, environment: ProcessInfo.processInfo.environment, isRoot: false,
                userName: Privileges.userName)
        let all = manager.units([Self.daemon, Self.run, Self.timer])
        let isTimed = all.contains { $0.name == Self.timer && $0.isInUse }
        units = all.filter { $0.name != Self.timer && $0.works(on: stateDirectory, usual: usual) }
            .map { ($0, $0.isInUse || isTimed && $0.name == Self.run) }
    }

    /// The configuration files that they name.
    var configurations: [String] { units.compactMap { $0.unit.argument(of: "--config") } }

    /// What `pruned check` says of their sandboxes: whether they may write beside these files, and in this directory.
    func findings(writing files: [String], _ stateDirectory: String) -> [CheckFinding] {
        let directories = files.map { ($0 as NSString).deletingLastPathComponent } + [stateDirectory]
        return units.compactMap { unit, isInUse in
            guard let sandbox = UnitSandbox(unit) else { return nil }
            var lines: [String] = []
            var closed: [String] = []
            for directory in directories where !closed.contains(directory) {
                let missing =
                    sandbox.missing(for: Self.names(of: directory)).map(\.description)
                    + [missingGroup(of: unit, for: directory)].compactMap(\.self)
                if !missing.isEmpty { closed.append(directory) }
                lines += missing.filter { !lines.contains($0) }
            }
            return finding(of: unit, isInUse: isInUse, lines: lines, closed: closed)
        }
    }

    /// The path, and what it leads to over links.
    private static func names(of directory: String) -> [String] {
        guard let resolved = realpath(directory, nil) else { return [directory] }
        defer { free(resolved) }
        let target = String(cString: resolved)
        return target == directory ? [directory] : [directory, target]
    }

    /// The line that puts the unit into the group by which alone its user could write to the directory. The other unit
    /// may have it, by which root then works, too.
    private func missingGroup(of unit: ManagedUnit, for directory: String) -> String? {
        var status = stat()
        guard manager == .system, let user = Privileges.user(unit.user), stat(directory, &status) == 0,
            user != 0, user != status.st_uid, status.st_mode & S_IWGRP != 0, status.st_mode & S_IWOTH == 0
        else { return nil }
        let groups = Privileges.groups(of: user) + unit.groups.compactMap(Privileges.group)
        return groups.contains(status.st_gid)
            ? nil : "SupplementaryGroups=\(Account.name(ofGroup: status.st_gid))"
    }

    private func finding(of unit: ManagedUnit, isInUse: Bool, lines: [String], closed: [String])
        -> CheckFinding?
    {
        let name = "unit \(unit.name)"
        guard !lines.isEmpty else {
            guard isInUse else { return nil }
            return CheckFinding(
                subject: .setting, name: name, detail: "it may write where it has to", verdict: .ok)
        }
        let place = closed.joined(separator: ", ")
        let (control, file) =
            manager == .system
            ? ("systemctl", "/etc/systemd/system/\(unit.name).d/override.conf")
            : ("systemctl --user", "~/.config/systemd/user/\(unit.name).d/override.conf")
        let way =
            "`\(control) edit \(unit.name)` (\(file)): add the lines "
            + (["[Service]"] + lines).map { "\"\($0)\"" }.joined(separator: ", ")
        guard isInUse else {
            return CheckFinding(
                subject: .setting, name: name, detail: "not in use", verdict: .ok,
                remarks: ["to use it, let it write to \(place): \(way)"])
        }
        return CheckFinding(
            subject: .setting, name: name, detail: "it may not write to \(place)", verdict: .wrong,
            failure: Failure(
                .inputOutput,
                "\(unit.name) may not write to \(place): its drop-in lacks "
                    + lines.joined(separator: " and "),
                hint: way + (unit.name == Self.daemon ? "; then `\(control) restart \(unit.name)`" : "")))
    }
}
