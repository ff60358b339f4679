import TestSupport
import Foundation
import Testing

/// Configuration files over the main one, as an administrator works with them.
@Suite struct DropInTests {
    private static let main = """
        [store.reader]
        path = "shared/reader.sqlite"
        [rule.items]
        table = "item"
        age_column = "timestamp"
        keep = "183d"
        """

    private static let items = "SELECT count(*) FROM item"

    private func state() throws -> (state: StateDirectory, main: String, dropIns: String) {
        let state = try StateDirectory.sampled(records: 1_000)
        let main = try state.configuration(Self.main)
        return (state, main, try state.sandbox.makeDirectory("conf.d"))
    }

    @Test("check says which file each value comes from, on lines of at most 80 columns")
    func origins() throws {
        let (state, main, dropIns) = try state()
        try state.sandbox.write("conf.d/10-longer.toml", "[rule.items]\nkeep = \"1y\"\n")
        let ended = try state.pruned("check", "--verbose", "--config", main).run().checked()
        let lines = ended.output.components(separatedBy: "\n")
        #expect(lines.contains("configuration         ok: \(main)"), "\(ended)")
        #expect(lines.contains("  drop-in file        ok: \(dropIns)/10-longer.toml"), "\(ended)")
        #expect(lines.contains { $0.contains(/^  keep +"1y" +conf.d\/10-longer.toml$/) }, "\(ended)")
        #expect(lines.contains { $0.contains(/^  table +"item" +pruned.toml$/) }, "\(ended)")
        #expect(lines.contains { $0.contains(/^  every +"1d" +default$/) }, "\(ended)")
        let settings = lines[(lines.firstIndex(of: "") ?? 0)...]
        #expect(settings.count > 10 && settings.allSatisfy { $0.count <= 80 }, "\(ended)")
    }

    @Test(
        "a drop-in is checked over the others before it is put among them, or takes the place of the one of its name"
    )
    func candidate() throws {
        let (state, main, dropIns) = try state()
        try state.sandbox.write("conf.d/10-longer.toml", "[rule.items]\nkeep = \"1y\"\nevery = \"2d\"\n")
        try state.sandbox.write("conf.d/20.toml", "[rule.items]\nkeep = \"2y\"\n")
        func check(_ file: String) throws -> EndedProgram {
            try state.pruned("check", "--verbose", "--config", main, "--drop-in", file).run()
        }
        let last = try check(state.sandbox.write("source", "[rule.items]\nkeep = \"3y\"\n"))
        #expect(last.status == 0 && last.output.contains(/\n  keep +"3y" +conf.d\/source\n/), "\(last)")
        _ = try state.sandbox.makeDirectory("new")
        let replaced = try check(state.sandbox.write("new/10-longer.toml", "[rule.items]\nkeep = \"3y\"\n"))
        #expect(replaced.status == 0, "\(replaced)")
        #expect(replaced.output.contains(/\n  keep +"2y" +conf.d\/20.toml\n/), "\(replaced)")
        #expect(replaced.output.contains(/\n  every +"1d" +default\n/), "\(replaced)")
        #expect(try check(dropIns + "/10-longer.toml").output.contains(/every +"2d"/))
        let wrong = try check(state.sandbox.write("source", "[rule.items]\nkeep = 3\n"))
        #expect(wrong.status == 78 && wrong.errors.contains("a number needs a unit"), "\(wrong)")

        let alone = try state.pruned("check", "--config", dropIns + "/20.toml").run()
        #expect(alone.status == 78, "\(alone)")
        #expect(alone.errors.contains("`pruned check --drop-in \(dropIns)/20.toml`"), "\(alone)")
    }

    @Test(
        "a name that conf.d would not read is remarked, wherever the file lies",
        arguments: [
            "10-x.toml~", ".10-x.toml", "source",
        ])
    func unreadName(name: String) throws {
        let (state, main, _) = try state()
        for place in [name, "conf.d/" + name] {
            let file = try state.sandbox.write(place, "[rule.items]\nkeep = \"3y\"\n")
            let ended = try state.pruned("check", "--config", main, "--problems", "--drop-in", file).run()
            #expect(ended.status == 0, "\(ended)")
            #expect(ended.output.contains("ok: \(file)"), "\(ended)")
            #expect(ended.output.contains("conf.d ignores this name"), "\(ended)")
        }
        let read = try state.sandbox.write("conf.d/10-x.toml", "[rule.items]\nkeep = \"3y\"\n")
        let ended = try state.pruned("check", "--config", main, "--drop-in", read).run().checked()
        #expect(!ended.output.contains("ignores"), "\(ended)")
    }

    @Test("of several candidates each is checked, over those before it")
    func candidates() throws {
        let (state, main, _) = try state()
        try state.sandbox.write("conf.d/10.toml", "[rule.items]\nkeep = \"1y\"\n")
        _ = try state.sandbox.makeDirectory("new")
        func check(_ first: String, _ second: String) throws -> EndedProgram {
            let files = [
                try state.sandbox.write("new/10.toml", first), try state.sandbox.write("new/20.toml", second),
            ]
            return try state.pruned(
                "check", "--verbose", "--config", main, "--drop-in", files[0], "--drop-in", files[1]
            ).run()
        }
        let both = try check("[rule.items]\nkeep = \"2y\"\n", "[rule.items]\nevery = \"3d\"\n")
        #expect(both.output.contains(/\n  keep +"2y" +conf.d\/10.toml\n/), "\(both)")
        #expect(both.output.contains(/\n  every +"3d" +conf.d\/20.toml\n/), "\(both)")
        #expect(try check("keep = 3", "").status == 78)
        #expect(try check("", "keep = 3").status == 78)
        let same = try state.pruned(
            "check", "--config", main, "--drop-in", "new/10.toml", "--drop-in", "conf.d/10.toml"
        ).run()
        #expect(same.status == 64 && same.errors.contains("have the same name"), "\(same)")
    }

    @Test("check of the built-in policy alone names no files")
    func builtIn() throws {
        let state = try StateDirectory.sampled(records: 10)
        let ended = try state.pruned("check").run().checked()
        #expect(ended.output.contains("built-in, while no store is configured"), "\(ended)")
        #expect(!ended.output.contains("default"), "\(ended)")
    }

    @Test("SIGHUP reads conf.d, too; a bad file there changes nothing and is named")
    func reload() throws {
        let (state, main, dropIns) = try state()
        let service = try Service(on: state, arguments: ["--config", main])
        try service.waitForFirstRun()
        let before = try state.store.count(Self.items)

        try state.sandbox.write("conf.d/10.toml", "[rule.items]\nkeep = 100\n")
        service.process.send(SIGHUP)
        let refused = try service.hear { $0.contains("READY=1") }
        let reason = "configuration refused: \(dropIns)/10.toml: rule.items.keep = 100: a number needs a unit"
        #expect(refused.contains(reason), "\(refused)")

        try state.sandbox.write("conf.d/10.toml", "[rule.items]\nkeep = \"100d\"\n[guard]\nmax_share = 1\n")
        service.process.send(SIGHUP)
        let taken = try service.hear { $0.contains("READY=1") }
        #expect(!taken.contains("refused"), "\(taken)")
        service.process.send(SIGUSR1)
        try eventually("the shorter period is in force") { try state.store.count(Self.items) < before }
        #expect(try service.stop().status == 0)
    }

    @Test("a file that is gone at a reload is accepted, and said with what changed by that")
    func goneAtReload() throws {
        let (state, main, dropIns) = try state()
        try state.sandbox.write("conf.d/10-longer.toml", "[rule.items]\nkeep = \"1y\"\n")
        let service = try Service(on: state, arguments: ["--config", main])
        try service.waitForFirstRun()
        for isFile in [true, false] {
            if !isFile {
                try state.sandbox.write("conf.d/10-longer.toml", "[rule.items]\nkeep = \"2y\"\n")
                service.process.send(SIGHUP)
                try service.hear { $0.contains("READY=1") }
            }
            try FileManager.default.removeItem(atPath: isFile ? dropIns + "/10-longer.toml" : dropIns)
            service.process.send(SIGHUP)
            try service.hear { $0.contains("READY=1") }
        }
        let ended = try service.stop()
        let told = ended.errors.split(separator: "\n").filter {
            $0.hasPrefix("<5>files of") || $0.hasPrefix("<5>rule.")
        }
        let file = "\(dropIns)/10-longer.toml"
        #expect(
            told == [
                "<5>files of the configuration: removed \(file)",
                "<5>rule.items: keep was \"1y\", is \"183d\"",
                "<5>files of the configuration: new \(file)", "<5>rule.items: keep was \"183d\", is \"2y\"",
                "<5>files of the configuration: removed \(file)",
                "<5>rule.items: keep was \"2y\", is \"183d\"",
            ], "\(ended)")
    }

    @Test("what others can write to is refused by the service and by every command, and nothing is deleted")
    func writableByOthers() throws {
        let (state, main, dropIns) = try state()
        let file = try state.sandbox.write("conf.d/10.toml", "[rule.items]\nkeep = \"1d\"\n")
        let before = try state.store.count(Self.items)
        for (path, mode) in [(file, 0o666), (dropIns, 0o777), (main, 0o646)] as [(String, mode_t)] {
            var status = stat()
            try #require(stat(path, &status) == 0)
            chmod(path, mode)
            for command in [["--run-now"], ["check"], ["plan"], []] {
                var program = state.pruned()
                program.arguments = command + ["--config", main] + program.arguments
                let ended = try program.run(seconds: 10)
                #expect(ended.status == 78, "\(ended)")
                #expect(ended.errors.contains("\(path): everybody can write to it"), "\(ended)")
                #expect(ended.errors.contains("chmod go-w \(path)"), "\(ended)")
            }
            chmod(path, status.st_mode & 0o7777)
        }
        #expect(try state.store.count(Self.items) == before)
        try state.pruned("check", "--config", main).run().checked()
    }

    @Test(
        "root takes a file of whom it becomes, the owner of the state directory", .enabled(if: geteuid() == 0)
    )
    func ownerOfTheState() throws {
        let (state, main, dropIns) = try state()
        let app = AnotherUser.app
        try state.give(to: app, mode: 0o2750)
        try app.own(main, mode: 0o644)
        try app.own(dropIns, mode: 0o755)
        try app.own(state.sandbox.path, mode: 0o755)
        try state.pruned("check", "--config", main).run().checked()
        try AnotherUser.stranger.own(main, mode: 0o644)
        let ended = try state.pruned("check", "--config", main).run()
        #expect(ended.status == 78 && ended.errors.contains("chown root \(main)"), "\(ended)")
    }
}
