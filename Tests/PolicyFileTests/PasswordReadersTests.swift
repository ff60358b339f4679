import Foundation
import Glibc
import Retention
import Testing

@testable import PolicyFile

/// A password in a file that others can read.
struct PasswordReadersTests {
    private let directory: ConfigurationDirectory
    private static let rule = "[rule.r]\ntable = \"entries\"\n" + enough + "\n"

    init() throws {
        directory = try ConfigurationDirectory(
            main: "[store.s]\nurl = \"postgresql://ada:geheim@db/news\"\n" + Self.rule)
    }

    private func remarks(on file: String? = nil) throws -> [String] {
        try directory.read().passwordRemarks(on: file ?? directory.main, user: geteuid())
    }

    @Test("a password that everybody can read is remarked with the file and its mode, and not shown")
    func everybody() throws {
        let remark = try #require(try remarks().first)
        #expect(
            remark
                == "the url of store s has a password, and everybody can read \(directory.main) (mode 0644);"
                + " use .pgpass, a service file or LoadCredential=")
        chmod(directory.main, 0o604)
        #expect(try remarks().first?.contains("everybody can read \(directory.main) (mode 0604)") == true)
    }

    @Test("what would let only the user read it is said first, of a file that everybody can read")
    func way() throws {
        let configuration = try directory.read()
        let remark = configuration.passwordRemarks(on: directory.main, user: geteuid(), way: "chmod 0640 f")
            .first
        #expect(remark?.contains("; `chmod 0640 f`, or use .pgpass") == true)
        #expect(configuration.hasPassword(in: directory.main) && !configuration.hasPassword(in: "/other"))
    }

    @Test("one that only the user can read is not, and neither is a url without one")
    func nobody() throws {
        chmod(directory.main, 0o600)
        #expect(try remarks() == [])
        try directory.write("pruned.toml", "[store.s]\nurl = \"postgresql:///news\"\n" + Self.rule)
        #expect(try remarks() == [])
    }

    @Test("the group of a file that is only examined is somebody else")
    func group() throws {
        chmod(directory.main, 0o640)
        chown(directory.main, geteuid(), geteuid() == 0 ? 65_534 : getegid())
        let read = try ConfigurationFiles(directory.main).read(systemTimeZone: .gmt, user: nil)
        let remark = read.passwordRemarks(on: directory.main, user: nil).first
        #expect(remark?.contains("can read \(directory.main) (mode 0640)") == true)
        #expect(remark?.contains("and group ") == true)
    }

    @Test("the file in question is that whose url is in force")
    func dropIn() throws {
        let file = try directory.dropIn("10.toml", "[store.s]\nurl = \"host=h password='geheim'\"\n")
        #expect(try remarks() == [])
        #expect(try remarks(on: file).count == 1)
    }
}
