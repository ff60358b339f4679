import Foundation
import PolicyFile
import TestSupport
import Testing

/// Who may write what says which rows are deleted.
struct FileTrustTests {
    private static let isRoot = geteuid() == 0
    private static let stranger: uid_t = 4_713

    private func refusal(of directory: ConfigurationDirectory, user: uid_t = geteuid()) throws
        -> PolicyFileError
    {
        try #require(throws: PolicyFileError.self) { try directory.read(user: user) }
    }

    @Test(
        "a file that only its owner can write is read",
        arguments: [0o644, 0o640, 0o600, 0o444, 0o755] as [mode_t])
    func accepted(mode: mode_t) throws {
        let directory = try ConfigurationDirectory()
        chmod(directory.main, mode)
        #expect(try directory.read().files == [directory.main])
    }

    @Test(
        "a file that everybody can write is refused, with what to do",
        arguments: [0o666, 0o646, 0o602] as [mode_t])
    func openToAll(mode: mode_t) throws {
        let directory = try ConfigurationDirectory()
        chmod(directory.main, mode)
        let error = try refusal(of: directory)
        let text = String(mode, radix: 8)
        #expect(error.description == "\(directory.main): everybody can write to it (mode 0\(text))")
        #expect(error.hint.hasSuffix("chmod go-w \(directory.main)"))
    }

    @Test("a file of conf.d, conf.d itself and the directory above are held to the same")
    func everyPart() throws {
        let directory = try ConfigurationDirectory()
        let file = try directory.dropIn("1.toml", "")
        for path in [file, directory.dropIns, directory.path] {
            var status = stat()
            try #require(stat(path, &status) == 0)
            chmod(path, 0o777)
            #expect(
                try refusal(of: directory).description == "\(path): everybody can write to it (mode 0777)")
            chmod(path, status.st_mode & 0o7777)
        }
        #expect(try directory.read().files.count == 2)
    }

    @Test("a directory such as /tmp, where nobody can take another's file away, may hold the file")
    func sticky() throws {
        let directory = try ConfigurationDirectory()
        chmod(directory.path, 0o1777)
        #expect(try directory.read().files == [directory.main])
    }

    @Test("a file of another user is refused; root's and the own are read")
    func owner() throws {
        let directory = try ConfigurationDirectory()
        let other = Self.isRoot ? Self.stranger : geteuid()
        if Self.isRoot { chown(directory.main, Self.stranger, 0) }
        let worker = Self.isRoot ? 0 : Self.stranger
        let error = try refusal(of: directory, user: worker)
        // Of a user who has no directory either, that is found first.
        let path = Self.isRoot ? directory.main : directory.path
        #expect(error.description.hasPrefix("\(path): belongs to "))
        #expect(error.hint.hasSuffix("chown root \(path)"))
        #expect(try directory.read(user: other).files == [directory.main])
    }

    @Test(
        "a file that a group can write is read if that is root's, or the user's own that nobody else is in",
        .enabled(if: isRoot, "only root can give files to groups"))
    func groups() throws {
        let directory = try ConfigurationDirectory()
        chmod(directory.main, 0o664)
        #expect(try directory.read().files == [directory.main])
        chown(directory.main, 0, 1)  // daemon: user 1 has this group of its name
        let error = try refusal(of: directory)
        #expect(error.description == "\(directory.main): group daemon can write to it (mode 0664)")
        #expect(try directory.read(user: 1).files == [directory.main])
        chown(directory.main, 0, 65_534)  // nogroup: the group of nobody, and of who knows whom
        #expect(throws: PolicyFileError.self) { try directory.read(user: 65_534) }
    }

    @Test("the command in a hint takes any path as one word")
    func shellWord() throws {
        let directory = try ConfigurationDirectory()
        let file = try directory.dropIn("a b'c.toml", "")
        chmod(file, 0o666)
        #expect(try refusal(of: directory).hint.hasSuffix("chmod go-w '\(directory.dropIns)/a b'\\''c.toml'"))
    }

    @Test(
        "where an access list lets somebody write, the file is refused, though its group is root's",
        .enabled(if: hasAccessLists))
    func accessList() throws {
        let directory = try ConfigurationDirectory()
        chmod(directory.main, 0o664)
        #expect(try directory.read(user: 0).files == [directory.main])
        try Program(["setfacl", "-m", "u:\(Self.stranger):rw", directory.main]).answer()
        let error = try refusal(of: directory, user: 0)
        #expect(error.description.contains("somebody on its access list"))
        try Program(["setfacl", "-m", "u:\(Self.stranger):r,g::r,m::r", directory.main]).answer()
        #expect(try directory.read(user: 0).files == [directory.main])
    }

    private static let hasAccessLists = isRoot && access("/usr/bin/setfacl", X_OK) == 0

    @Test("a link is held to the directory that it leads into, too")
    func links() throws {
        let (real, linked) = (try ConfigurationDirectory(), try ConfigurationDirectory())
        try FileManager.default.removeItem(atPath: linked.main)
        try FileManager.default.createSymbolicLink(atPath: linked.main, withDestinationPath: real.main)
        #expect(try linked.read().files == [linked.main])
        chmod(real.path, 0o777)
        #expect(try refusal(of: linked).description.hasPrefix("\(real.path): everybody can write to it"))
        chmod(real.path, 0o755)
        _ = try real.dropIn("1.toml", "")
        try FileManager.default.createSymbolicLink(atPath: linked.dropIns, withDestinationPath: real.dropIns)
        #expect(try linked.read().files.count == 2)
        chmod(real.path, 0o777)
        #expect(throws: PolicyFileError.self) { try linked.read() }
    }

    @Test("a conf.d that leads nowhere is an error, and no absence: what it led to may keep rows")
    func danglingLink() throws {
        let directory = try ConfigurationDirectory()
        try FileManager.default.createSymbolicLink(
            atPath: directory.dropIns, withDestinationPath: directory.path + "/unmounted")
        let refusal = try refusal(of: directory)
        #expect(refusal.description.contains("cannot be read") && refusal.hint.contains("leads nowhere"))
    }

    @Test("what stands in conf.d and cannot be read is answered as that, and not as the main file")
    func dropInHints() throws {
        let directory = try ConfigurationDirectory()
        try directory.dropIn("0.toml", "")
        let path = directory.dropIns + "/1.toml"
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "nowhere")
        #expect(
            try refusal(of: directory).hint
                == "it is a link that leads nowhere: remove it, or bring back what it led to")
        for make in [{ mkdir(path, 0o755) }, { mkfifo(path, 0o644) }] {
            remove(path)
            #expect(make() == 0)
            #expect(try refusal(of: directory).hint.hasPrefix("only regular files are read there"))
        }
    }
}
