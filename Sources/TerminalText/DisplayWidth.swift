extension String {
    /// The number of terminal columns that the text takes. A wide character (Chinese, Japanese, Korean, most emoji)
    /// takes two, and a mark that combines with the character before it takes none.
    package var columns: Int { utf8.allSatisfy { $0 < 0x80 } ? utf8.count : reduce(0) { $0 + $1.columns } }
}

extension Character {
    /// The number of columns of the character, at most two. A scalar that requests emoji presentation makes it wide,
    /// and so does the second letter of a flag.
    var columns: Int {
        if unicodeScalars.contains("\u{FE0F}") { return 2 }
        let letters = unicodeScalars.count { (0x1F1E6...0x1F1FF).contains($0.value) }
        return letters > 1 ? 2 : unicodeScalars.map(\.columns).max() ?? 0
    }
}

extension Unicode.Scalar {
    fileprivate var columns: Int {
        switch properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: 0
        default: properties.isEmojiPresentation || Self.wide.contains { $0.contains(value) } ? 2 : 1
        }
    }

    /// The blocks of wide and full-width characters (Unicode Standard Annex 11), as roughly as terminals implement
    /// them.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xA960...0xA97C, 0xAC00...0xD7A3, 0xF900...0xFAFF,
        0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6, 0x1F200...0x1F2FF, 0x20000...0x3FFFD,
    ]
}
