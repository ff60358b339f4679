import DefaultStore
import FoundationEssentials
import Glibc
import Pruning
import Systemd
import TerminalText

/// The installed units that run this program on a state directory; none where systemd does not run.
struct ServiceUnits {
    /// The units, and whether each is in use.
    let units: [(unit: ManagedUnit, isInUse: Bool)]
    private let manager: ServiceManager

    /// Make it before ``Privileges/assumeOwner(of:)``: without a bus, systemd answers only root.
    init(workingOn stateDirectory: String) {
        let isSystem =
            geteuid() == 0 || Privileges.userName == StateDirectory.serviceUser
            || stateDirectory == StateDirectory.system || UserInstance(workingOn: stateDirectory) != nil
        manager = isSystem ? .system : .user
        let usual =
            isSystem
            ? StateDirectory.system
            : StateDirectory.resolve(
                option: nil, environment: ProcessInfo.processInfo.environment, isRoot: false,
                userName: Privileges.userName)
        let all = manager.units(UnitName.running(on: stateDirectory) + [UnitName.timer])
        let isTimed = all.contains { $0.name == UnitName.timer && $0.isInUse }
        units = all.filter { $0.name != UnitName.timer && $0.works(on: stateDirectory, usual: usual) }
            .map { ($0, $0.isInUse || isTimed && $0.name == UnitName.run) }
    }

    /// The configuration files that the units name.
    var configurations: [String] { units.compactMap { $0.unit.argument(of: "--config") } }

    /// The findings of `pruned check` about the units' sandboxes: whether the units can write to these files, to their
    /// directories, and to the state directory, and connect to these servers. Where a unit is in use, the others are left
    /// out.
    func findings(
        writing files: [String], _ stateDirectory: String, reaching servers: [ServerPlace]
    ) -> [CheckFinding] {
        let places =
            files.map { Place(path: $0, directory: $0.parentPath) }
            + [Place(path: stateDirectory, directory: stateDirectory)]
        // A unit that is not in use matters to those who have not yet chosen one.
        let shown = units.contains(where: \.isInUse) ? units.filter(\.isInUse) : units
        return shown.compactMap { unit, isInUse in
            guard let sandbox = UnitSandbox(unit, resolve: RealPath.of) else { return nil }
            var lines = sandbox.missing(for: places.flatMap { [$0.directory, $0.path] }).map(\.description)
            var faults: [String] = []
            var closed: [String] = []
            for place in places {
                let group = missingGroup(of: unit, for: place.directory)
                if let group, !lines.contains(group) { lines.append(group) }
                if let source = sandbox.substitute(for: place.path) {
                    faults.append("has another file at \(place.path), that of \(source)")
                } else if group != nil || !sandbox.isOpen(place.directory) {
                    if !closed.contains(place.directory) { closed.append(place.directory) }
                } else if !sandbox.isOpen(place.path) {
                    closed.append(place.path)
                }
            }
            if !closed.isEmpty { faults.append("cannot write to " + closed.joined(separator: ", ")) }
            let access = ServerAccess(of: unit, sandbox, to: servers)
            lines += access.missing.filter { !lines.contains($0) }
            if let fault = access.fault { faults.append(fault) }
            return finding(
                of: unit, isInUse: isInUse, lines: lines, faults: faults.joined(separator: ", and "),
                access: access)
        }
    }

    /// A file to write, and the directory of the files that are made beside it.
    private struct Place {
        let path: String
        let directory: String
    }

    /// The setting that adds the directory's group to the unit, if the unit's user can write there only through that
    /// group. Each unit is checked by itself, since this process may have the group from another unit. A privileged
    /// group is never added.
    private func missingGroup(of unit: ManagedUnit, for directory: String) -> String? {
        var status = stat()
        guard manager == .system, let user = Privileges.user(unit.user), stat(directory, &status) == 0,
            user != 0, !Account.isPrivileged(group: status.st_gid), user != status.st_uid,
            status.st_mode & S_IWGRP != 0,
            status.st_mode & S_IWOTH == 0
        else { return nil }
        let groups = Privileges.groups(of: user) + unit.groups.compactMap(Privileges.group)
        return groups.contains(status.st_gid)
            ? nil : "SupplementaryGroups=\(Account.name(ofGroup: status.st_gid) ?? "\(status.st_gid)")"
    }

    private func finding(
        of unit: ManagedUnit, isInUse: Bool, lines: [String], faults: String, access: ServerAccess
    ) -> CheckFinding? {
        let name = "unit \(unit.name)"
        guard !faults.isEmpty else {
            guard isInUse else { return nil }
            return CheckFinding(
                subject: .setting, name: name, detail: access.praise, verdict: .ok)
        }
        let control = manager == .system ? "systemctl" : "systemctl --user"
        let way =
            unit.isOutdated
            ? "`\(control) daemon-reload`"
            : Self.editing(unit, lines: lines, manager, control: control) + access.example
        guard isInUse else {
            return CheckFinding(
                subject: .setting, name: name, detail: "not in use", verdict: .ok,
                remarks: ["as it is, it \(faults); to use it, \(way)"] + otherWay)
        }
        let cause =
            unit.isOutdated
            ? "its files have changed since systemd read them"
            : "its drop-in lacks " + lines.joined(separator: " and ")
        let restart = unit.name != UnitName.run ? "; then `\(control) restart \(unit.name)`" : ""
        return CheckFinding(
            subject: .setting, name: name, detail: "it \(faults)", verdict: .wrong,
            failure: Failure(
                .inputOutput, "\(unit.name) \(faults): \(cause)",
                hint: way + restart + (unit.isOutdated ? "; then check again" : "")))
    }

    /// For a user's own files a unit of the system needs no drop-in.
    private var otherWay: [String] {
        guard manager == .user, let name = Privileges.userName else { return [] }
        return ["`sudo systemctl enable --now pruned@\(name)` needs none of this: it runs as \(name)"]
    }

    private static func editing(
        _ unit: ManagedUnit, lines: [String], _ manager: ServiceManager, control: String
    ) -> String {
        let directory = manager == .system ? "/etc/systemd/system" : "~/.config/systemd/user"
        return "`\(control) edit \(unit.name)` (\(directory)/\(unit.name).d/override.conf): add the lines "
            + (["[Service]"] + lines).map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
