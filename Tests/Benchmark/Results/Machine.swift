import Foundation
import TestSupport

/// What the figures were measured on, and with; line by line.
struct Machine: Codable, CustomStringConvertible {
    let lines: [String]

    /// `programs` are the builds of pruned.
    init(workDirectory: String, programs: [String]) throws {
        let server = (try? PostgreSQLPrograms.path("postgres")) ?? "echo no"
        let mariaDB = MariaDBPrograms.installed?.path("mariadbd") ?? "echo no mariadbd"
        let script = """
            grep --max-count=1 '^model name' /proc/cpuinfo | cut -d : -f 2-
            echo "$(nproc) cores, $(free --giga | awk '/^Mem/ { print $2 }') GB, $(stat -fc %T "$0"), $(uname -srm)"
            echo "sqlite3 $(sqlite3 --version | cut -d ' ' -f 1), $(swift --version 2>/dev/null | head -n 1)"
            \(server) --version
            \(mariaDB) --version
            for program; do echo "$program: $("$program" --version)"; done
            """
        let shell = Program("sh", ["-c", script, workDirectory] + programs)
        lines = try shell.measured().checked().output.split(separator: "\n").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
    }

    var description: String { lines.joined(separator: "\n") }
}
