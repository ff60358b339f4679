import Retention
import Testing

@Suite("What of its dependents an expression may read: the rows of the judged row")
struct OwnDependentsTests {
    /// Divides where the engines do, for expressions without comments and quoted texts.
    private func words(_ text: String) -> [OwnDependents.Word] {
        var words: [OwnDependents.Word] = []
        for part in text.split(separator: " ") {
            var name = ""
            for character in part {
                if character.isLetter || character.isNumber || character == "_" {
                    name.append(character)
                } else if character != "\"" {
                    if !name.isEmpty { words.append(.init(name, isQuoted: part.contains("\""))) }
                    words.append(.init(String(character), isQuoted: false))
                    name = ""
                }
            }
            if !name.isEmpty { words.append(.init(name, isQuoted: part.contains("\""))) }
        }
        return words
    }

    private let tags = OwnDependents(of: "entry", in: "tag", by: [("entry_id", "id")])

    @Test(
        "each query joins them to the row in its WHERE",
        arguments: [
            "kind = 1", "EXISTS (SELECT 1 FROM tag WHERE tag.entry_id = entry.id)",
            "EXISTS (SELECT 1 FROM tag t JOIN seen s ON s.word = t.name WHERE t.entry_id = entry.id)",
            "NOT EXISTS (SELECT 1 FROM seen AS s, tag AS t WHERE s.word = t.name AND entry.id = t.entry_id AND (s.x OR t.y))",
            "(SELECT count(*) FROM tag WHERE tag.entry_id = entry.id GROUP BY tag.name LIMIT 1) > 3",
            "EXISTS (SELECT 1 FROM tag own WHERE own.entry_id = entry.id AND EXISTS (SELECT 1 FROM seen s WHERE s.tag = own.name))",
            "EXISTS (SELECT 1 FROM tag t WHERE t.entry_id = entry.id AND t.entry = 1)",
            "EXISTS (SELECT 1 FROM seen WHERE EXISTS (SELECT 1 FROM tag \"from\" WHERE \"from\" .entry_id = entry.id))",
        ])
    func own(expression: String) {
        #expect(tags.areAllThatIsRead(by: words(expression)))
    }

    @Test(
        "what may read rows of another row is refused",
        arguments: [
            "EXISTS (SELECT 1 FROM tag WHERE tag.name = entry.name)", "id IN (SELECT entry_id FROM tag)",
            "EXISTS (SELECT 1 FROM tag WHERE tag.entry_id <> entry.id)",
            "EXISTS (SELECT 1 FROM tag WHERE tag.entry_id = entry.id + 1)",
            "EXISTS (SELECT 1 FROM tag WHERE tag.entry_id = entry.id OR tag.name = entry.name)",
            "EXISTS (SELECT 1 FROM tag WHERE NOT tag.entry_id = entry.id)",
            "EXISTS (SELECT 1 FROM tag WHERE (tag.entry_id = entry.id OR 1))",
            "EXISTS (SELECT 1 FROM tag WHERE tag.x BETWEEN 1 AND tag.entry_id = entry.id)",
            "EXISTS (SELECT 1 FROM tag WHERE CASE WHEN a AND tag.entry_id = entry.id AND b THEN 0 ELSE 1 END)",
            "EXISTS (SELECT 1 FROM tag a, tag b WHERE a.entry_id = entry.id AND a.name = b.name)",
            "EXISTS (SELECT 1 FROM tag WHERE tag.entry_id = entry.id UNION SELECT 1 FROM tag)",
            "EXISTS (SELECT 1 FROM tag UNION SELECT 1 FROM seen tag WHERE tag.entry_id = entry.id)",
            "EXISTS (SELECT 1 FROM tag t JOIN seen entry ON 1 = 1 WHERE t.entry_id = entry.id)",
            "EXISTS (SELECT 1 FROM (SELECT entry_id, name FROM tag) t WHERE t.entry_id = entry.id)",
            "EXISTS (SELECT 1 FROM (tag t JOIN seen s) WHERE t.entry_id = entry.id)",
            "EXISTS (SELECT 1 FROM tag t WHERE 1 = (SELECT 1 FROM seen t WHERE t.entry_id = entry.id))",
            "EXISTS (SELECT 1 FROM main.entry WHERE 1 = (SELECT 1 FROM tag WHERE tag.entry_id = entry.id))",
            "EXISTS (SELECT 1 FROM main.tag t WHERE t.entry_id = entry.id)",
            "EXISTS (SELECT 1 FROM seen s WHERE s.word IN main.tag)", "id IN main.tag",
            "EXISTS (SELECT 1 FROM seen s WHERE s.word NOT IN main.tag AND s.tag = 1)",
            "EXISTS (SELECT 1 FROM seen s WHERE s.word = ANY (TABLE main.tag))",
            "EXISTS (SELECT 1 FROM seen s WHERE s.x UNION TABLE main.tag)",
        ])
    func others(expression: String) {
        #expect(!tags.areAllThatIsRead(by: words(expression)))
    }

    @Test("a key of two columns is compared as a whole")
    func twoColumns() {
        let tags = OwnDependents(of: "entry", in: "tag", by: [("feed", "feed"), ("item", "id")])
        #expect(tags.areAllThatIsRead(by: words(tags.existence)))
        #expect(!tags.areAllThatIsRead(by: words("EXISTS (SELECT 1 FROM tag WHERE tag.item = entry.id)")))
    }

    @Test("a column of them may be named like the table of the judged row")
    func columnNamedLikeOwner() {
        let tags = OwnDependents(of: "entry", in: "tag", by: [("entry", "id")])
        #expect(tags.areAllThatIsRead(by: words(tags.existence)))
    }
}
