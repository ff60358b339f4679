import Foundation

/// The memory of a service that does nothing for hours.
enum IdleMemory {
    /// Gives back the program's own code, most of which is of no use until the next run. It comes back from its file when
    /// it is used.
    static func release() {
        guard let maps = FileManager.default.contents(atPath: "/proc/self/maps") else { return }
        for line in String(decoding: maps, as: UTF8.self).split(separator: "\n") {
            // "55d0c0000000-55d0c1000000 r-xp 00001000 fe:00 1234  /usr/bin/pruned"; proc_pid_maps(5). Code alone: constants
            // have been relocated, and would be lost.
            let fields = line.split(separator: " ", maxSplits: 5)
            guard fields.count == 6, fields[1] == "r-xp", fields[5].contains("/"),
                let (start, end) = bounds(fields[0])
            else { continue }
            madvise(UnsafeMutableRawPointer(bitPattern: start), Int(end - start), MADV_DONTNEED)
        }
    }

    private static func bounds(_ range: Substring) -> (start: UInt, end: UInt)? {
        let ends = range.split(separator: "-").compactMap { UInt($0, radix: 16) }
        return ends.count == 2 && ends[0] < ends[1] ? (ends[0], ends[1]) : nil
    }
}
