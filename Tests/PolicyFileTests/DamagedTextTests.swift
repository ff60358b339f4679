import PolicyFile
import Retention
import TestSupport
import Testing

/// Files that were damaged anyhow.
struct DamagedTextTests {
    private static let whole = """
        time_zone = "Europe/Berlin" # ä
        guard = { max_share = 0.5, min_rows = 1_000 }
        [store.s]
        path = "s\\u00e4.sqlite"
        reclaim = true
        [store."t.x"]
        path = '''t'''
        [rule.r]
        store = "s"
        table = \"\"\"
        t\\
          able\"\"\"
        age_column = "at"
        keep = "30d 12h"
        every = '1h'
        dependents = ["a",
          'b', # c
        ]
        guard.min_rows = 0xff
        [rule.e]
        store = "s"
        table = "e"
        expires_column = "at"
        [[odd]]
        x.y.z = [1, -2.5e3, inf, nan, {d = 2026-11-20, t = [[07-32]]}, []]
        [odd.sub]
        """
    private static let pieces =
        "[]{}=\"'\\.,#\n\r\t 0127eExX_+-:TZabuUtfn\u{0}\u{1B}\u{7F}äß\u{85}\u{A0}\u{2028}\u{3000}\u{FEFF}💾"
        .unicodeScalars.map { [$0] }
        + ["[[", "]]", "'''", "\"\"\"", "\\u", "{a=", "rule.r"].map { Array($0.unicodeScalars) }

    @Test(
        "no damage ends the program: what comes of it is a policy or an error with a hint", arguments: 0..<8)
    func damage(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var (read, refused) = (0, 0)
        for _ in 0..<400 {
            let text = Self.damaged(&generator)
            do throws(PolicyFileError) {
                _ = try Configuration(text, file: "pruned.toml", systemTimeZone: .gmt)
                read += 1
            } catch {
                refused += 1
                #expect(!error.reason.isEmpty && !error.hint.isEmpty, "\(text.debugDescription)")
            }
        }
        #expect(refused > 250 && read > 0)
    }

    /// A file that is right as far as the odd tables at its end, with up to five damages anywhere.
    private static func damaged(_ generator: inout SeededGenerator) -> String {
        let end = whole.firstRange(of: "[[odd]]").map(\.lowerBound) ?? whole.endIndex
        var scalars = Array((Bool.random(using: &generator) ? whole : String(whole[..<end])).unicodeScalars)
        for _ in 0..<Int.random(in: 1...5, using: &generator) {
            let place = Int.random(in: 0...scalars.count, using: &generator)
            let piece = pieces.randomElement(using: &generator) ?? []
            let end = min(scalars.count, place + Int.random(in: 1...8, using: &generator))
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: scalars.insert(contentsOf: piece, at: place)
            case 1: scalars.removeSubrange(place..<end)
            case 2: scalars.replaceSubrange(place..<min(place + 1, scalars.count), with: piece)
            case 3:
                scalars.insert(
                    contentsOf: scalars[place..<end], at: Int.random(in: 0...place, using: &generator))
            default: if Int.random(in: 0..<10, using: &generator) == 0 { scalars.removeSubrange(place...) }
            }
        }
        var text = String.UnicodeScalarView()
        text.append(contentsOf: scalars)
        return String(text)
    }
}
