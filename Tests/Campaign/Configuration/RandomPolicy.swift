import TestSupport

/// A configuration as a person might write it: mostly right, in one of many spellings.
struct RandomPolicy {
    private(set) var generator: SeededGenerator
    /// Whether something in it is wrong.
    private(set) var isWrong = false
    private(set) var main = ""
    private(set) var dropIn = ""

    init(using generator: SeededGenerator) {
        self.generator = generator
        if chance(4) {
            main +=
                "time_zone = \(quoted(one(of: ["Europe/Berlin", "UTC", "Asia/Kathmandu", "Pacific/Apia"])))\n"
        }
        main +=
            chance(2)
            ? "[store.app]\npath = \(quoted("app.sqlite"))\n" : "store.app.path = \(quoted("app.sqlite"))\n"
        if chance(6) { main += "[batch]\nlock_time = \(span(["10ms", "5ms", "1s"], ["10", "2s", "0ms"]))\n" }
        if chance(6) {
            main +=
                "[guard]\nmax_share = \(value(["0.5", "1", "1.0", "5e-1"], ["0", "1.5", "\"0.5\"", "50"]))\n"
        }
        for table in ["items", "log"] where table == "items" || chance(2) { rule(on: table) }
    }

    private mutating func rule(on table: String) {
        var pairs = [("table", quoted(table))]
        let columns = [("at", nil), ("at", "s"), ("ms", "ms"), ("iso", "iso8601")]
        let (column, unit) = columns[below(columns.count)]
        if let unit { pairs.append(("unit", quoted(unit))) }
        let spans = ["30d", "2w", "3month", "1y", "10d 12h", "100d", "60d 6h 5min", "200d", "4w 2d"]
        let wrong = ["30", "0d", "-3d", "30 d", "3d 4d", "30days", "", "1.5d", "d", "30D", "2000y", "3d, 4h"]
        if chance(6) {
            pairs += [("expires_column", quoted("expires"))]
            pairs.removeAll { $0.0 == "unit" }
            if chance(2) { pairs.append(("grace", span(spans, wrong))) }
        } else {
            pairs += [("age_column", quoted(column)), ("keep", span(spans, wrong))]
        }
        if chance(3) {
            pairs.append(
                (
                    "where",
                    quoted(
                        one(of: [
                            "read = 1", "read = 1 OR note IS NULL", "feed IN (1, 2)", "note <> 'x' -- why",
                        ]))
                ))
        }
        if chance(3) {
            // A condition that stands twice is refused.
            let texts = ["starred = 1", "note = 'keep # it'", "feed = 3"].shuffled(using: &generator)
            pairs.append(
                (
                    "protect",
                    chance(2)
                        ? quoted(texts[0]) : "[\(quoted(texts[0])), # star\n \(quoted(texts[1])),]"
                ))
        }
        if chance(4) {
            pairs.append(
                ("keep_last", value(["3", "1", "1_0", "0x5", "+4"], ["0", "-1", "\"3\"", "2.0", "03"])))
            if chance(2) {
                pairs.append(("keep_last_per", chance(2) ? quoted("feed") : "[\(quoted("feed")), 'read']"))
            }
        }
        if table == "items", chance(4) { pairs.append(("kept_by", quoted("bookmarks.item"))) }
        if chance(5) { pairs.append(("every", span(["1d", "1s", "5min"], ["1", "0s"]))) }
        if chance(5) {
            pairs.append(("archive", "true"))
            if chance(2) { pairs.append(("archive_keep", span(["30d", "1y"], ["30"]))) }
        }
        if chance(8) { pairs.append(("quiet", value(["true", "false"], ["1", "\"yes\"", "True"]))) }
        if chance(25) {
            isWrong = true
            pairs.append(
                (
                    one(of: ["kep", "Keep", "kept", "wher", "protects", "max_share", "unit ms", "keep.days"]),
                    "\"1d\""
                ))
        }
        pairs.shuffle(using: &generator)
        if chance(25) {
            isWrong = true
            pairs.append(pairs[below(pairs.count)])
        }
        let name = "rule.\(table)"
        let split = chance(3) ? below(pairs.count) : pairs.count
        main += text(of: pairs[..<split], in: name)
        if split < pairs.count {
            dropIn += "[\(name)]\n" + pairs[split...].map { "\($0) = \($1)\n" }.joined()
        }
    }

    private mutating func text(of pairs: ArraySlice<(String, String)>, in name: String) -> String {
        let isInline = chance(6) && !pairs.contains { $1.contains("\n") }
        guard !isInline else {
            return "[rule]\n".replacing(
                "[rule]", with: main.contains("[rule]") || main.contains("[rule.") ? "[\(name)]" : "[\(name)]"
            ) + pairs.map { "\($0)=\($1)" }.joined(separator: "\n") + "\n"
        }
        return (chance(2) ? "\n# the rule\n" : "") + "[\(name)]\(chance(4) ? "   # here" : "")\n"
            + pairs.map { "\(chance(8) ? "\"\($0)\"" : $0)\(chance(2) ? " = " : "=")\($1)\n" }.joined()
    }

    private mutating func span(_ right: [String], _ wrong: [String]) -> String {
        value(right.map { "\"\($0)\"" }, wrong.map { "\"\($0)\"" } + ["30", "true", "[\"30d\"]"])
    }

    private mutating func value(_ right: [String], _ wrong: [String]) -> String {
        guard chance(20) else { return one(of: right) }
        isWrong = true
        return one(of: wrong)
    }

    /// A string of TOML in one of its forms.
    private mutating func quoted(_ text: String) -> String {
        switch below(8) {
        case 0 where !text.contains("'"): "'\(text)'"
        case 1: "\"\"\"\n\(text)\"\"\""
        case 2 where !text.contains("'"): "'''\(text)'''"
        case 3 where !text.isEmpty:
            "\"\\u00\(String(text.utf8.first ?? 0, radix: 16))\(text.dropFirst())\""
        default: "\"\(text)\""
        }
    }

    private mutating func chance(_ among: Int) -> Bool { below(among) == 0 }
    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
    private mutating func one(of texts: [String]) -> String { texts[below(texts.count)] }
}

/// Changes some bytes of a text.
struct TextMutation {
    var generator: SeededGenerator

    mutating func mutate(_ text: String) -> [UInt8] {
        var bytes = Array(text.utf8)
        for _ in 0...below(3) where !bytes.isEmpty {
            let place = below(bytes.count)
            switch below(7) {
            case 0: bytes[place] ^= 1 << UInt8(below(8))
            case 1: bytes.remove(at: place)
            case 2: bytes.insert(letter, at: place)
            case 3: bytes[place] = letter
            case 4: bytes.insert(bytes[place], at: place)
            case 5: bytes.swapAt(place, below(bytes.count))
            default:
                var lines = bytes.split(separator: 10, omittingEmptySubsequences: false)
                let line = below(lines.count)
                if below(2) == 0 {
                    lines.insert(lines[line], at: below(lines.count))
                } else {
                    lines.remove(at: line)
                }
                bytes = Array(lines.joined(separator: [10]))
            }
        }
        return bytes
    }

    private static let letters = Array("\"'[]{}=.,#\\\n -_0123456789abdehmnorstuwxy".utf8)
    private var letter: UInt8 { mutating get { Self.letters[below(Self.letters.count)] } }
    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }
}
