import Foundation
import PolicyFile
import Testing

/// What is not TOML, or would be misread as TOML.
struct SyntaxTests {
    @Test(
        "a syntax error says its line and column, counted in characters",
        arguments: [
            ("a = 1\nb = = 2\n", 2, 5), ("a = \"ääää\" b\n", 1, 12), ("a = 1\r\nb = = 2\r\n", 2, 5),
            ("\u{FEFF}a = = 1\n", 1, 5), ("\ta =\n", 1, 5), ("a = 1\n\u{FEFF}b = 1\n", 2, 1),
            ("[store.s]\npäth = 1\n", 2, 2), ("x = [1, 2}\n", 1, 10),
            ("a = 99999999999999999999\n", 1, 25), ("a = \"\\uD800\"\n", 1, 12), ("a = 1\rb = 2\n", 1, 7),
            ("[rule.r]\nkeep = 30d\n", 2, 10),
        ])
    func positions(text: String, line: Int, column: Int) throws {
        let error = try error(in: text)
        #expect(error.place == .line(line, column: column))
        #expect(error.description.hasPrefix("pruned.toml: line \(line), column \(column): syntax error"))
        #expect(!error.hint.isEmpty)
    }

    @Test(
        "a string that is not closed is called so, where it opens",
        arguments: [
            ("a = \"x\nb = 1\n", 1, 5), ("a = \"x\r\nb = 1\n", 1, 5), ("\u{FEFF}a = \"ä", 1, 5),
            ("[store.s]\npath = 'x\n", 2, 8), ("a = 1\nb = \"\"\"x\n\n", 2, 5), ("\"a = 1\n", 1, 1),
            ("a = \"\\", 1, 5),
            ("a = \"\\\nb = \"\n", 1, 5),
        ])
    func openString(text: String, line: Int, column: Int) throws {
        let error = try error(in: text)
        #expect(error.place == .line(line, column: column))
        #expect(error.reason == "syntax error: the closing quote is missing")
    }

    @Test("a control character inside a string is not taken for its end")
    func controlCharacter() throws {
        #expect(try error(in: "a = \"x\u{1B}y\"\n").reason.contains("control characters"))
    }

    @Test(
        "what occurs twice is a syntax error",
        arguments: [
            file(rule: "keep = \"1d\"\nkeep = \"2d\""), file(rule: enough) + "[rule.r]\n",
            file(rule: enough) + "[store.s]\n",
        ])
    func duplicates(text: String) throws {
        #expect(try error(in: text).reason.contains("cannot redefine existing"))
    }

    @Test(
        "where the first of two stands, and what to do, is said of rules, stores, tables and keys",
        arguments: [
            (
                "[rule.r]\nkeep = \"1d\"\n\n[rule.r] # again\n",
                "[rule.r] stands in line 1, too: give one of the two another"
            ),
            (
                "\n[ store . \"s\" ]\n[store.s]\n",
                "[store.s] stands in line 2, too: give one of the two another name"
            ),
            ("rule.r = { keep = \"1d\" }\n[rule.r]\n", "[rule.r] stands in line 1, too: give"),
            ("[guard]\n[guard]\n", "[guard] stands in line 1, too: make them one table"),
            (
                "[rule.a]\nkeep = \"1d\"\n[rule.r]\nkeep = \"1d\"\nkeep = \"2d\"\n",
                "keep stands in line 4, too: leave one"
            ),
        ])
    func firstOfTwo(text: String, hint: String) throws {
        #expect(try error(in: text).hint.hasPrefix(hint))
    }

    @Test(
        "a NUL, bare or escaped, is refused: the parser would end the file or the value there",
        arguments: [
            (file(rule: enough) + "\0\nnonsense", 7, 1), ("# \0\n" + file(rule: enough), 1, 3),
            ("a = \"x\0\"\n", 1, 7), ("a = '''\n\0'''\n", 2, 1),
            ("\n[store.s]\npath = \"s\\u0000x\"\n", 3, 10), ("\"\\U00000000\" = 1\n", 1, 2),
            ("a = \"\"\"\n\\\n\\\\\\u0000\"\"\"\n", 3, 3),
        ])
    func nul(text: String, line: Int, column: Int) throws {
        let error = try error(in: text)
        #expect(error.place == .line(line, column: column))
        #expect(error.reason.contains("NUL"))
    }

    @Test("what only looks like an escaped NUL is read")
    func notNul() throws {
        let policy = try parse(
            """
            # \\u0000
            store.s.path = "a\\\\u0000"
            store.t.path = 'b\\u0000'
            rule.r = { store = "s", table = "t", expires_column = "e" }
            """)
        #expect(policy.stores.map(\.place) == ["a\\u0000", "b\\u0000"])
    }

    @Test(
        "texts on which the parser would end the process are errors",
        arguments: [
            "[=]", "[ä]", "[ ]", "[[!a]]", "[", "[\n", "[[", "a = [}", "a = [1, }", "a = [\u{A0}1]",
            "a = [\u{85}]",
            "a = [\u{2028}1]", "a = 1979-05-27T\"07:32:00", "a = 1979-05-27T07:32:00Z", "\u{FEFF}[%]",
            "a = ]",
            "a = }", "a = ,", "a = {b = }", "a = {b = ]", "a = [,]", "a = 1_", "a = _", "= 1", ".", "\u{B}",
            "a = \"\"\"\"\"\"\"\" [%]", "a = \"\"\"x",
        ])
    func parserTraps(text: String) {
        #expect(throws: PolicyFileError.self) { try parse(text) }
        #expect(throws: PolicyFileError.self) { try parse(text + "\n" + file(rule: enough)) }
    }

    @Test(
        "every form of string is read",
        arguments: [
            ("\"t\"", "t"), ("'t'", "t"), ("\"\"\"t\"\"\"", "t"), ("'''t'''", "t"), ("\"\"\"\nt\"\"\"", "t"),
            ("\"\\u0074\"", "t"), ("\"\\U00000074\"", "t"), ("\"\"\"\\\n   t\"\"\"", "t"), ("'\\'", "\\"),
            ("\"\\\"[%]\\\\\"", "\"[%]\\"), ("\"\"\"\"[%]\"\"\"\"\"", "\"[%]\"\""),
            ("''''[%]'''''", "'[%]''"),
            ("\"ä: 💾\u{A0}\"", "ä: 💾\u{A0}"), ("'#'", "#"),
        ])
    func strings(form: String, value: String) throws {
        let rule = "rule.r = {table = \(form), expires_column = 'e'} # [%]: \"\n"
        #expect(try parse("store.s.path = \"s\"\n" + rule).rules.map(\.table) == [value])
    }

    @Test(
        "deep nesting is an error, not a crash, even on a small stack",
        arguments: ["[", "{a=", "[{a=", "a.", "'a'."])
    func deepNesting(unit: String) async throws {
        let text = "x = " + String(repeating: unit, count: 100_000)
        let key = String(repeating: unit, count: 100_000) + "a = 1\nx = \n"
        let header = "[" + String(repeating: unit, count: 100_000) + "a]\nx = \n"
        for text in [text, key, header] {
            #expect(throws: PolicyFileError.self) { try parse(text) }
        }
    }

    @Test("dots that add up in an open bracket are counted together, and open brackets have a limit")
    func nestedTables() throws {
        let keys = String(repeating: "{a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a = [\n", count: 7)
        let dots = try error(in: "x = [" + keys)
        #expect(dots.reason == "syntax error: more than 100 dots in a line")
        let brackets = try error(
            in: "x = " + String(repeating: "[", count: 17) + String(repeating: "]", count: 17))
        #expect(
            brackets.description == "pruned.toml: line 1, column 21: syntax error: more than 16 open brackets"
        )
    }

    @Test("a key of too many parts is refused before it is parsed")
    func dots() throws {
        let error = try error(in: "\n" + String(repeating: "a.", count: 101) + "a = 1\n")
        #expect(
            error.description == "pruned.toml: line 2, column 202: syntax error: more than 100 dots in a line"
        )
    }

    @Test("no text in the file breaks, forges or floods the error's lines")
    func hostileText() throws {
        let long = String(repeating: "z", count: 100_000)
        let texts = [
            "\"a\\nb\\u001b[31m\" = 1", "\"\(long)\" = 1", "time_zone = \"x\\ny\\u202e\\u2028\"",
            "time_zone = \"\(long)\"", "\"\(long)\" = 1\n\"\(long)\" = 2", "a = \(long)",
            file(rule: "age_column = \"a\"\nkeep = \"1\(long)\""), "[store.\"x\\ny\"]",
            "\"\\u000a\" = 1\n\"\\u000a\" = 1",
            "[store.s]\npath = \"s\"\n[rule.r]\ntable = \"t\"\nstore = \"\(long)\\n\"",
            file(rule: "dependents = [\"\(long)\\n\", \"\(long)\\n\"]"),
        ]
        for text in texts {
            let error = try error(in: text)
            for line in [error.description, error.hint] {
                #expect(line.count < 1_000)
                #expect(line.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
                #expect(!line.contains("\u{202E}") && !line.contains("\u{2028}"))
            }
        }
    }
}
