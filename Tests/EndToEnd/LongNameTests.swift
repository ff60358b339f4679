import TestSupport
import Foundation
import Testing

/// Names as long as they may be, on a screen of 80 columns.
@Suite struct LongNameTests {
    private let state: StateDirectory
    private let file: String
    private let rule = "r" + String(repeating: "-longest", count: 8).dropLast(1)
    private let store = "s" + String(repeating: ".longest", count: 8).dropLast(1)

    init() throws {
        state = try StateDirectory()
        let path = try state.sandbox.makeDirectory("state") + "/app.sqlite"
        let table = String(repeating: "table", count: 20)
        let column = String(repeating: "spalte_ä", count: 12)
        try Database(path: path).query(
            """
            CREATE TABLE \(table) (id INTEGER PRIMARY KEY, \(column) INTEGER);
            WITH n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2000)
            INSERT INTO \(table) SELECT i, unixepoch() - 50 * 86400 FROM n;
            """)
        file = try state.configuration(
            """
            [store."\(store)"]
            path = "app.sqlite"
            [rule.\(rule)]
            table = "\(table)"
            age_column = "\(column)"
            keep = "1d"
            """)
        _ = try state.sandbox.makeDirectory("conf.d")
        try state.sandbox.write(
            "conf.d/\(String(repeating: "file", count: 30)).toml", "[rule.\(rule)]\nkeep = \"2d\"\n")
    }

    @Test("they are broken or cut off, and no line is wider", arguments: [80, 50])
    func terminal(columns: Int) throws {
        let confirmed = ["--run-now", "--confirm", "\(rule)"]
        let tables = [["--run-now"], confirmed, ["history"]]
        for arguments in [["plan"], ["check"], ["status"]] + tables {
            var program = state.pruned()
            program.arguments = arguments + ["--config", file] + program.arguments
            let line = "stty cols \(columns); " + program.line.joined(separator: " ") + " 2> errors"
            var terminal = Program(path: "script", arguments: ["-qec", line, "/dev/null"])
            terminal.directory = state.sandbox.path
            terminal.environment = ["LC_ALL": "C.UTF-8"]
            let shown = try terminal.run()
            let lines = shown.output.components(separatedBy: "\r\n").map {
                $0.replacing(#/\u{1B}\[\d*m/#, with: "")
            }
            #expect(lines.count > 2 && lines.allSatisfy { $0.count <= columns }, "\(shown)")
            guard arguments == ["plan"] || arguments == ["check"] else { continue }
            // Nothing is lost, but for the line breaks.
            let text = lines.joined().filter { $0 != " " }
            #expect(text.contains(rule) && (arguments == ["plan"] || text.contains(store)), "\(shown)")
            #expect(text.contains(String(repeating: "table", count: 20) + ".spalte_ä"), "\(shown)")
        }
    }

    @Test("the command that resolves a hold can be copied all the same")
    func command() throws {
        let ended = try state.pruned("plan", "--config", file).run()
        #expect(
            ended.status == 3 && ended.output.split(separator: "\n").allSatisfy { $0.count <= 80 },
            "\(ended)")
        let shell = ended.output.replacing(#/ \\\n */#, with: " ")
        #expect(shell.contains("confirm \(rule)`"), "\(ended)")
    }
}
