import Foundation
import TestSupport
import Testing

/// The manual pages say what the programs do: all of it, and nothing else.
struct ManualTests {
    @Test(
        "each command and option of the help stands in the program's page, and no other does",
        arguments: ["pruned", "reader"])
    func commands(name: String) throws {
        let page = try ManualPage("\(name).1")
        let tree = try Self.tree(of: name)
        let commands = Set(page.parts("COMMANDS").map(\.title)).subtracting([""])
        let known = Set(tree.options.keys).subtracting([""])
        #expect(
            known == commands
        )
        let common = Set(page.items("OPTIONS", "Common options").flatMap(\.options))
        let synopsis = Self.synopsis(of: page)
        for (command, options) in tree.options where command != "help" {
            let items = command.isEmpty ? page.items("OPTIONS") : page.items("COMMANDS", command)
            let own = Set(items.flatMap(\.options)).subtracting(command.isEmpty ? common : [])
            #expect(options.subtracting(common.union(own)) == [], "\(name) \(command): undocumented")
            #expect(own.subtracting(options) == [], "\(name) \(command): no such option")
            #expect(synopsis[command] ?? [] == own, "\(name) \(command): synopsis")
            // Without a command, the app has help and version alone.
            guard options.count > 3 else { continue }
            #expect(
                common.subtracting(options) == [],
                "\(name) \(command): not common")
        }
    }

    @Test("no page names an option that there is not")
    func noOtherOptions() throws {
        let trees = try ["pruned": Self.tree(of: "pruned"), "reader": Self.tree(of: "reader")]
        let all = trees.values.flatMap(\.options.values).reduce(Set()) { $0.union($1) }
        var commandLines = 0
        for page in try ManualPage.all() {
            let marked = page.parts.flatMap(\.lines).flatMap(ManualPage.options)
            #expect(Set(marked).subtracting(all) == [], "\(page.name)")
            for (program, tree) in trees {
                for line in page.commandLines(of: program) {
                    commandLines += 1
                    let options = line.filter { $0.hasPrefix("-") && $0 != "-" }
                    let known = tree.options[tree.command(of: line)] ?? []
                    #expect(Set(options).subtracting(known) == [], "\(page.name): \(program) \(line)")
                }
            }
        }
        #expect(commandLines > 20)
    }

    @Test("each exit status stands in the page, and no other", arguments: ["pruned", "reader"])
    func exitStatuses(name: String) throws {
        var program = Self.program(name)
        program.arguments = ["--help"]
        let words = try program.run().checked().output.split(whereSeparator: \.isWhitespace)
            .joined(separator: " ")
        let list = try #require(words.firstMatch(of: /Exit status: ([^.]*)\./)).output.1
        let statuses = Set(list.split(separator: "; ").map { String($0.prefix { $0 != " " }) })
        #expect(statuses.count >= 6)
        #expect(Set(try ManualPage("\(name).1").items("EXIT STATUS").flatMap(\.names)) == statuses)
        guard name == "pruned" else { return }
        let ofService = try ManualPage("pruned.service.8").items("EXIT STATUS").flatMap(\.names)
        #expect(Set(ofService).subtracting(statuses) == [])
    }

    @Test("each field and each kind of message of the journal stands in the page, and no other")
    func journal() throws {
        let sources = try Self.sources(below: ["pruned"]).joined()
        let fields = Set(sources.matches(of: /"(PRUNED_[A-Z_]+)"/).map { String($0.output.1) })
        let kinds = Set(sources.matches(of: /"([0-9a-f]{32})"/).map { String($0.output.1) })
        #expect(fields.count > 5 && kinds.count > 10)
        let page = try ManualPage("pruned.service.8")
        #expect(Set(page.items("JOURNAL", "Fields").flatMap(\.names)) == fields.union(["MESSAGE_ID"]))
        #expect(Set(page.items("JOURNAL", "Kinds of message").flatMap(\.names)) == kinds)
        for page in try ManualPage.all() {
            let named = page.text.matches(of: /PRUNED_[A-Z_]+|\b[0-9a-f]{32}\b/).map { String($0.output) }
            #expect(Set(named).subtracting(fields).subtracting(kinds) == [], "\(page.name)")
        }
    }

    @Test("each metric stands in the page, and no other")
    func metrics() throws {
        let sources = try Self.sources(below: ["Pruning", "pruned"]).joined()
        let metrics = Set(sources.matches(of: /"(pruned_[a-z_]+)"/).map { String($0.output.1) })
        let documented = Set(try ManualPage("pruned.service.8").items("METRICS").flatMap(\.names))
        #expect(metrics.subtracting(documented) == [])
        // The page may describe them ahead of the program.
        #expect(metrics.isEmpty || documented.subtracting(metrics) == [])
    }

    @Test("each signal that is handled stands in the pages", arguments: ["pruned.1", "pruned.service.8"])
    func signals(name: String) throws {
        let source = try #require(
            Self.sources(below: ["pruned"]).first { $0.contains("enum ProcessSignals") })
        let signals = Set(source.matches(of: /case (SIG[A-Z0-9]+): "/).map { String($0.output.1) })
        #expect(signals.count == 5)
        let page = try ManualPage(name)
        let parts = page.parts("SIGNALS") + page.parts("DESCRIPTION", "Signals")
        #expect(Set(parts.flatMap(\.items).flatMap(\.names)) == signals)
    }

    @Test("each variable of the environment that is asked stands in a page")
    func environment() throws {
        let sources = try Self.sources(below: ["pruned", "reader", "ReaderStore", "Systemd", "TerminalText"])
        let asked = sources.filter { $0.contains("environment[") }
            .flatMap { $0.matches(of: /"([A-Z][A-Z_]+)"/) }.map { String($0.output.1) }
        #expect(asked.count > 8)
        let documented = try ManualPage.all().flatMap { $0.items("ENVIRONMENT") }.flatMap(\.names)
        #expect(Set(asked).subtracting(documented) == [])
    }

    @Test("each key of a report, a plan and a status stands in the page")
    func keys() throws {
        let state = try StateDirectory.sampled()
        let knowsStatus = try Self.tree(of: "pruned").options["status"] != nil
        var keys: [String: Set<String>] = [:]
        for (section, arguments) in [
            ("JSON REPORT", ["plan", "--json"]), ("JSON REPORT", ["--run-now", "--json"]),
            ("JSON STATUS", knowsStatus ? ["status", "--json"] : []),
        ] where !arguments.isEmpty {
            var program = state.pruned()
            program.arguments += arguments
            Self.collectKeys(of: try program.run().json(), into: &keys[section, default: []])
        }
        for (section, keys) in keys {
            #expect(keys.count > 20)
            let lines = try ManualPage("pruned.1").parts(section).flatMap(\.lines).joined(separator: " ")
            let words = lines.split { !$0.isLetter && $0 != "_" }.map(String.init)
            #expect(keys.subtracting(words) == [], "\(section)")
        }
    }

    @Test("each file of the state directory stands in the page")
    func files() throws {
        let documented = try ManualPage("pruned.1").items("FILES").flatMap(\.names)
        let files = StateDirectory.filesAtRest.filter { $0.hasSuffix("sqlite") }.map {
            $0.replacingOccurrences(of: "/reader/", with: "/STORE/")
        }
        #expect(Set(files).subtracting(documented) == [])
    }

    @Test("each page is one of pruned's manual, of the version that the program has")
    func version() throws {
        var program = Program.pruned
        program.arguments = ["--version"]
        let version = try program.run().checked().output.trimmingCharacters(in: .newlines)
        for page in try ManualPage.all() {
            #expect(page.text.contains("\n.Os \(version)\n"), "\(page.name)")
        }
    }

    @Test("the pages are what a formatter of manual pages expects, and fit 80 columns", .formattingManuals)
    func format() throws {
        let pages = try ManualPage.all()
        #expect(pages.count == 7)
        for page in pages {
            let lint = try Program(path: "mandoc", arguments: ["-T", "lint", "-W", "warning", page.path])
                .run()
            #expect(lint.status == 0 && lint.output.isEmpty && lint.errors.isEmpty, "\(lint)")
            var man = Program(path: "man", arguments: ["--warnings", "-l", page.path])
            man.environment = ["LC_ALL": "C.UTF-8", "MANWIDTH": "80", "MANROFFOPT": ""]
            let shown = try man.run().checked()
            #expect(shown.errors.isEmpty, "\(shown)")
            let lines = shown.output.split(separator: "\n")
            #expect(lines.count > 50 && lines.allSatisfy { !$0.contains("BSD") })
            for line in lines { #expect(line.count <= 80, "\(page.name): \(line)") }
        }
    }

    private static func program(_ name: String) -> Program { name == "pruned" ? .pruned : .reader }
    private static func tree(of name: String) throws -> CommandTree { try CommandTree(of: program(name)) }

    /// The options of each command that the synopsis shows.
    private static func synopsis(of page: ManualPage) -> [String: Set<String>] {
        let calls = page.parts("SYNOPSIS").flatMap(\.lines).split(separator: ".Nm")
        return calls.reduce(into: [:]) { synopsis, lines in
            let command = lines.first { $0.hasPrefix(".Cm ") }.map { String($0.dropFirst(4)) } ?? ""
            synopsis[command, default: []].formUnion(lines.flatMap(ManualPage.options))
        }
    }

    private static func sources(below targets: [String]) throws -> [String] {
        let root = URL(filePath: #filePath).appending(path: "../../../Sources").standardized.path
        return try targets.flatMap { target in
            try FileManager.default.subpathsOfDirectory(atPath: root + "/" + target)
                .filter { $0.hasSuffix(".swift") }
                .map { try String(contentsOfFile: "\(root)/\(target)/\($0)", encoding: .utf8) }
        }
    }

    private static func collectKeys(of value: Any, into keys: inout Set<String>) {
        if let object = value as? [String: Any] {
            keys.formUnion(object.keys)
            object.values.forEach { collectKeys(of: $0, into: &keys) }
        } else if let list = value as? [Any] {
            list.forEach { collectKeys(of: $0, into: &keys) }
        }
    }
}

extension Trait where Self == ConditionTrait {
    /// The test needs mandoc and man.
    static var formattingManuals: Self {
        .enabled("needs mandoc and man") {
            try ["mandoc", "man"].allSatisfy {
                try Program(path: "which", arguments: [$0]).run().status == 0
            }
        }
    }
}
