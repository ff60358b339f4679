/// A number as a bar: as long as its share of the greatest of them, but never nothing for some.
struct BarText: CustomStringConvertible {
    let description: String

    /// The bar of `most` takes `room` columns.
    init(_ number: Int64, of most: Int64, room: Int, _ style: TextStyle) {
        guard number > 0, most > 0 else {
            description = ""
            return
        }
        let eighths = max(1, Int((Double(number) / Double(most) * Double(room) * 8).rounded()))
        guard style.isUnicode else {
            description = String(repeating: "#", count: max(1, (eighths + 4) / 8))
            return
        }
        let part = eighths % 8 == 0 ? "" : String(Self.parts[eighths % 8 - 1])
        description = String(repeating: "█", count: eighths / 8) + part
    }

    private static let parts = Array("▏▎▍▌▋▊▉")
}
