import FoundationEssentials
import Glibc
import Pruning

extension WorkerWatch.Usage {
    /// What the process with this number has used, as /proc tells; see proc(5). Zero where it does not tell.
    init(of process: pid_t) {
        let status = Self.text("/proc/\(process)/stat")
        // The second field is a name in parentheses, which may have any character. The times are fields 14 and 15, in ticks.
        let fields = status[(status.lastIndex(of: ")") ?? status.startIndex)...].split(separator: " ")
        let ticks = fields.count > 13 ? (Int(fields[12]) ?? 0) + (Int(fields[13]) ?? 0) : 0
        let transfers = Self.text("/proc/\(process)/io").split(separator: "\n").prefix(2)
            .compactMap { Int64($0.split(separator: " ").last ?? "") }
        self.init(
            processor: .milliseconds(ticks * 1_000 / max(1, sysconf(Int32(_SC_CLK_TCK)))),
            transferred: transfers.reduce(0, &+))
    }

    private static func text(_ path: String) -> String {
        String(decoding: FileManager.default.contents(atPath: path) ?? Data(), as: UTF8.self)
    }
}
