import Testing

@testable import TerminalText

@Suite struct DisplayWidthTests {
    @Test(
        "a text takes as many columns as a terminal gives it",
        arguments: [
            ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("Grüße", 5), ("日本", 4), ("한국어", 6), ("あ", 2),
            ("Ａ", 2), ("😀", 2), ("👨‍👩‍👧", 2), ("🇩🇪", 2), ("❤\u{FE0F}", 2), ("שלום", 4), ("a\u{200B}b", 2),
            ("…", 1), ("█", 1), ("▏", 1), ("─", 1),
        ])
    func columns(text: String, expected: Int) { #expect(text.columns == expected) }

    @Test("padding fills columns, not characters, and leaves what is longer as it is")
    func padding() {
        #expect("日".padded(to: 4) == "日  " && "日".padded(to: 4, rightAligned: true) == "  日")
        #expect("abc".padded(to: 2) == "abc")
    }

    @Test(
        "what is cut off fits, and says so",
        arguments: [
            ("abcd", 4, "abcd"), ("abcde", 4, "abc…"), ("日本語", 6, "日本語"), ("日本語", 5, "日本…"),
            ("日本語", 4, "日…"), ("日本語", 1, "…"), ("👨‍👩‍👧👨‍👩‍👧", 3, "👨‍👩‍👧…"),
        ])
    func shortening(text: String, width: Int, expected: String) {
        #expect(text.shortened(toColumns: width) == expected)
        #expect(text.shortened(toColumns: width).columns <= width)
    }

    @Test("a table's columns begin below each other, whatever is in them, and no line ends in spaces")
    func table() {
        let table = TextTable(
            header: ["name", "n", "end"], rows: [["日本", "7", "x"], ["abcdefgh", "1234", ""]], numbers: [1],
            widest: [5])
        #expect(table.lines == ["name      n  end", "日本      7  x", "abcd…  1234"])
    }

    @Test("what does not fit is taken from the first cells, as long as they say something")
    func narrow() {
        let table = TextTable(header: ["a name that is long", "b"], rows: [["another", "12345"]])
        #expect(table.lines(within: 26).map(\.columns).max() == 26)
        #expect(table.lines(within: 20) == ["a name that …  b", "another        12345"])
        #expect(table.lines(within: 5)[0].hasPrefix("a name that…"))
    }

    @Test("rather than a name that says nothing, whole columns are left out, in the order that is given")
    func dispensable() {
        let table = TextTable(
            header: ["when", "name", "a", "bb"], rows: [["1", "a-longer-name-it-is", "1234", "12"]],
            numbers: [2], name: 1, dispensable: [2, 3])
        #expect(table.lines(within: 40).map(\.columns).max() == 35)
        #expect(table.lines(within: 28) == ["when  name             a  bb", "1     a-longer-na…  1234  12"])
        #expect(table.lines(within: 27) == ["when  name               bb", "1     a-longer-name-it…  12"])
        #expect(table.lines(within: 18) == ["when  name", "1     a-longer-na…"])
    }

    @Test("how a cell is shown moves no other, and no line ends in blanks")
    func shownCells() {
        let table = TextTable(
            header: ["a", "b", "c"], rows: [["x", "12", "yy"], ["xyz", "3", ""]], numbers: [1])
        let lines = table.lines(within: 80) { text, row, column in row == 0 ? "<\(text)>" : "[\(text)]" }
        #expect(lines == ["<a>     <b>  <c>", "[x]    [12]  [yy]", "[xyz]   [3]"])
    }

    @Test("lines break between words, by columns, and never within a command")
    func wrapping() {
        #expect("aa 日本 bb `c d e f` g".wrapped(to: 7) == ["aa 日本", "bb", "`c d e f`", "g"])
    }

    @Test("a command keeps its spaces, for a path may have two of them")
    func spacesInCommands() {
        #expect("do   `a 'b  c'`  now".wrapped(to: 80) == ["do `a 'b  c'` now"])
    }
}
