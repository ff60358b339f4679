import FoundationEssentials
import Glibc
import Retention

/// Where the system has its time zones: the files of tzdata.
package struct ZoneDirectory: Sendable {
    private let path: String

    /// The system's own.
    package static let system = ZoneDirectory(path: "/usr/share/zoneinfo")

    init(path: String) { self.path = path }

    /// The zone of a name such as `Europe/Berlin`; nil where there is none.
    package func zone(named name: String) -> Zone? {
        if name == "UTC" || name == "GMT" { return .gmt }
        guard Self.isName(name), let file = Self.contents(path + "/" + name) else { return nil }
        return Zone(identifier: name, file: [UInt8](file))
    }

    /// The zone of the system as it is now: that of the variable TZ; else the one that /etc/localtime leads to; where that is
    /// a file of its own, the one that Debian has in /etc/timezone; UTC where none says anything.
    package func current(
        environment: [String: String] = ProcessInfo.processInfo.environment, etc: String = "/etc"
    ) -> Zone {
        if let variable = environment["TZ"] { return zone(ofVariable: variable, etc: etc) ?? .gmt }
        return localTime(etc: etc) ?? .gmt
    }

    /// The names that people know, of zones where somebody lives.
    var names: [String] {
        guard let table = Self.contents(path + "/zone.tab") else { return [] }
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\n").filter {
            !$0.hasPrefix("#")
        }
        return ["UTC"] + lines.compactMap { $0.split(separator: "\t").dropFirst(2).first.map(String.init) }
    }

    /// `Europe/Berlin`, `:Europe/Berlin`, `/usr/share/zoneinfo/Europe/Berlin`, `:/etc/localtime`, `CET-1CEST,M3.5.0,M10.5.0/3`.
    private func zone(ofVariable variable: String, etc: String) -> Zone? {
        let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        if name == etc + "/localtime" { return localTime(etc: etc) }
        let known = name.hasPrefix(path + "/") ? String(name.dropFirst(path.count + 1)) : name
        return zone(named: known) ?? Zone(rules: name)
    }

    private func localTime(etc: String) -> Zone? {
        let place = etc + "/localtime"
        // As it is named: `Europe/Berlin` may itself be a link to another name.
        if let link = try? FileManager.default.destinationOfSymbolicLink(atPath: place),
            let directory = link.firstRange(of: "/zoneinfo/"),
            let zone = zone(named: String(link[directory.upperBound...]))
        {
            return zone
        }
        guard let file = Self.contents(place) else { return nil }
        let name = Self.contents(etc + "/timezone").map { String(decoding: $0, as: UTF8.self) }
        let named = name.flatMap { $0.split(whereSeparator: \.isWhitespace).first }.map(String.init)
        return Zone(
            identifier: named.flatMap { Self.isName($0) ? $0 : nil } ?? "localtime", file: [UInt8](file))
    }

    /// Whether it leads to nothing but a file below the directory.
    private static func isName(_ name: String) -> Bool {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        let plain = "+-_".unicodeScalars
        return name.utf8.count <= 64
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.unicodeScalars.allSatisfy {
                        $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil)
                            || plain.contains($0)
                    }
            }
    }

    /// Of a regular file, no larger than any zone is.
    private static func contents(_ path: String) -> Data? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1_048_576 else {
            return nil
        }
        return FileManager.default.contents(atPath: path)
    }
}
