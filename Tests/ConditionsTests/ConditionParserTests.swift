import Conditions
import Testing

@Suite("The language of conditions")
struct ConditionParserTests {
    @Test(
        "what SQL says in several ways is one condition",
        arguments: [
            ("a != 1", "a <> 1"), ("a BETWEEN 1 AND 2", "a >= 1 AND a <= 2"),
            ("a NOT BETWEEN 1 AND 2", "NOT (a >= 1 AND a <= 2)"), ("a NOT IN (1, 2)", "NOT (a IN (1, 2))"),
            ("a IS NOT NULL", "NOT (a IS NULL)"), ("a NOT LIKE 'x%'", "NOT (a LIKE 'x%')"),
            ("((a)) = (1)", "a = 1"), ("(a + 1) * 2 > 3", "((a + 1) * 2) > 3"),
            ("a - -1 = 2", "(a - (-1)) = 2"),
            ("a = 1 or b = 2 and not c", "(a = 1) OR ((b = 2) AND (NOT (c)))"),
            ("a /* why */ = 1 -- because", "a = 1"), ("starred AND (read)", "(starred) AND (read)"),
            ("a LIKE '!%x' ESCAPE '!'", "a LIKE '\\%x' ESCAPE '\\'"),
            ("a > b - INTERVAL '2h'", "a > (b - INTERVAL '7200s')"),
            (
                "EXISTS (SELECT 1 FROM u JOIN v ON u.a = v.a WHERE v.b)",
                "EXISTS (SELECT 1 FROM u, v WHERE u.a = v.a AND v.b)"
            ),
            ("a IN (SELECT u.b FROM u AS x WHERE x.c)", "a IN (SELECT u.b FROM u x WHERE x.c)"),
            ("substring(a, 1, 2) = 'it''s'", "substr(a, 1, 2) = 'it''s'"), ("\"a\" = 1.50", "\"a\"=1.50"),
        ])
    func same(a: String, b: String) throws {
        #expect(try WrittenCondition(parsing: a) == WrittenCondition(parsing: b))
    }

    @Test(
        "what the language lacks is refused with its place, and with a way where there is one",
        arguments: [
            ("", "is empty", ""), ("a =", "ends where a value is expected, at character 4", ""),
            ("a = 1 b", "has b where AND, OR or the end is expected, at character 7", ""),
            (
                "a = 1; DELETE FROM t", "has ; where no condition has it, at character 6",
                "without a semicolon"
            ),
            ("a == 1", "has = where a value is expected, at character 4", ""),
            ("a = 'x", "has a text that does not end, at character 5", ""),
            ("a = \"x", "has a name that does not end, at character 5", ""),
            ("a || 'x' = 'y'", "has | where no condition has it, at character 3", "not joined"),
            ("a::int = 1", "has : where no condition has it, at character 2", "not cast"),
            ("a = $1", "has $ where no condition has it, at character 5", ""),
            ("a = ?", "has ? where no condition has it, at character 5", "no parameters"),
            ("a = 9223372036854775808", "has an integer of more than 64 bits, at character 5", ""),
            ("a = 1x", "has a number that ends in a name, at character 5", ""),
            (
                "CASE WHEN a THEN 1 END = 1", "has CASE where a column is expected, at character 1",
                "AND and OR"
            ),
            ("date(a) = 'x'", "calls date(), which conditions do not have, at character 1", "age_column"),
            ("lenght(a) = 1", "calls lenght(), which conditions do not have, at character 1", "length"),
            ("a = (SELECT b FROM u)", "compares with a subquery, at character 6", "EXISTS"),
            (
                "EXISTS (SELECT 1 FROM u LIMIT 1)",
                "has LIMIT where the end of the subquery is expected, at character 25", "EXISTS asks"
            ),
            (
                "EXISTS (SELECT 1 FROM u LEFT JOIN v ON u.a = v.a)",
                "has LEFT where the end of the subquery is expected, at character 25", "JOIN"
            ),
            ("a IN (SELECT 1 FROM u)", "has IN with SELECT 1, at character 22", "column"),
            ("a IS TRUE", "has TRUE where NULL is expected, at character 6", "by itself"),
            ("a > b - INTERVAL '1 month'", "has the interval '1 month', at character 18", "7d"),
            ("substr(a, 0) = 'x'", "calls substr() otherwise", "first character is 1"),
            (
                "a LIKE '!x' ESCAPE '!'",
                "has a pattern in which ESCAPE stands before another character, at character 8", ""
            ),
            (
                "a = 'x' COLLATE NOCASE", "has COLLATE where AND, OR or the end is expected, at character 9",
                "as their column"
            ),
            ("é = 1 AND a = ", "ends where a value is expected, at character 15", ""),
            (
                String(repeating: "(", count: 200) + "a = 1" + String(repeating: ")", count: 200),
                "nests too deep", ""
            ),
        ])
    func refusals(text: String, cause: String, hint: String) throws {
        do {
            let parsed = try WrittenCondition(parsing: text)
            Issue.record("\(text) is \(parsed)")
        } catch {
            #expect(error.cause(in: text).hasPrefix(cause), "\(error.cause(in: text))")
            #expect(hint.isEmpty || error.hint?.contains(hint) == true, "\(error)")
        }
    }
}
