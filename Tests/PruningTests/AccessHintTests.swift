import Foundation
import TerminalText
import Testing

@testable import Pruning

/// What whoever may not use a file is told to do about it.
struct AccessHintTests {
    private static let path = "/srv/app"

    private func hint(owner: uid_t, group: gid_t, mode: mode_t, groups: Set<gid_t> = []) -> String {
        var status = stat()
        (status.st_uid, status.st_gid, status.st_mode) = (owner, group, mode)
        return AccessHint.text(user: 4_711, groups: groups, of: status, Self.path)
    }

    private static let refusal = "user 4711 may not enter or use /srv/app"

    @Test("the group is a way where it may what the user may not, and the owner is one; root is none")
    func ways() {
        let byGroup = "as a member of its group, 4713 (`adduser 4711 4713`, then restart the service)"
        #expect(
            hint(owner: 4_712, group: 4_713, mode: 0o2770)
                == Self.refusal + ": run as user 4712, its owner, or " + byGroup)
        #expect(hint(owner: 0, group: 4_713, mode: 0o750) == Self.refusal + ": run " + byGroup)
        for (mode, groups) in [(0o700, []), (0o750, [4_713])] as [(mode_t, Set<gid_t>)] {
            #expect(
                hint(owner: 4_712, group: 4_713, mode: mode, groups: groups)
                    == Self.refusal + ": run as user 4712, its owner")
        }
        #expect(hint(owner: 0, group: 0, mode: 0o700) == Self.refusal + ", which belongs to another user")
    }

    @Test("users and groups are named as people know them")
    func names() {
        #expect(Account.user(0) == "user root (0)" && Account.user(4_711) == "user 4711")
        #expect(Account.name(ofGroup: 0) == "root" && Account.name(ofGroup: 4_711) == nil)
    }

    @Test(
        "a group whose members may do more than use this file is no way",
        arguments: ["shadow", "adm", "sudo", "disk"])
    func privileged(name: String) throws {
        let group = try #require(getgrnam(name)?.pointee.gr_gid)
        #expect(hint(owner: 0, group: group, mode: 0o770) == Self.refusal + ", which belongs to another user")
        #expect(
            hint(owner: 4_712, group: group, mode: 0o770) == Self.refusal + ": run as user 4712, its owner")
    }

    @Test("root's group is no way, whatever it may do")
    func groupOfRoot() {
        #expect(hint(owner: 0, group: 0, mode: 0o770) == Self.refusal + ", which belongs to another user")
        #expect(
            hint(owner: 4_712, group: 0, mode: 0o770) == Self.refusal + ": run as user 4712, its owner")
    }

    @Test("in a user namespace, where all of others' is nobody's, nobody is no way")
    func nobody() {
        #expect(
            hint(owner: 65_534, group: 65_534, mode: 0o770) == Self.refusal
                + ", which belongs to another user")
    }
}
