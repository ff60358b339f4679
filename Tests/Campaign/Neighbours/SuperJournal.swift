/// A rollback journal that would be rolled back, of no page, and then have SQLite delete its super-journal.
enum SuperJournal {
    static func naming(_ path: String, pages: Int) -> [UInt8] {
        func number(_ value: Int) -> [UInt8] {
            (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * $0)) }
        }
        let magic: [UInt8] = [0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7]
        var bytes = magic + number(0) + number(1) + number(pages) + number(512) + number(4_096)
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        let name = Array(path.utf8)
        bytes += number(0x4000_0000 / 4_096 + 1) + name + number(name.count)
        return bytes + number(name.reduce(0) { $0 + Int(Int8(bitPattern: $1)) }) + magic
    }
}
