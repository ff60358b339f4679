import FoundationEssentials
import Glibc
import Retention

/// The system's time zones: the files of tzdata.
package struct ZoneDirectory: Sendable {
    private let path: String

    package static let system = ZoneDirectory(path: "/usr/share/zoneinfo")

    init(path: String) { self.path = path }

    /// The zone with a name such as `Europe/Berlin`; nil if there is none.
    package func zone(named name: String) -> Zone? {
        if name == "UTC" || name == "GMT" { return .gmt }
        guard Self.isName(name), let file = Self.contents(path + "/" + name) else { return nil }
        return Zone(identifier: name, file: [UInt8](file))
    }

    /// The system's current zone, from the first of these: the variable TZ; the target of the link /etc/localtime; if
    /// that is a regular file, its content, with the name from Debian's /etc/timezone. UTC if there is none.
    package func current(
        environment: [String: String] = ProcessInfo.processInfo.environment, etc: String = "/etc"
    ) -> Zone {
        if let variable = environment["TZ"] { return zone(ofVariable: variable, etc: etc) ?? .gmt }
        return localTime(etc: etc) ?? .gmt
    }

    /// The names of zones where people live, for suggestions.
    var names: [String] {
        guard let table = Self.contents(path + "/zone.tab") else { return [] }
        let lines = String(decoding: table, as: UTF8.self).split(separator: "\n").filter {
            !$0.hasPrefix("#")
        }
        return ["UTC"] + lines.compactMap { $0.split(separator: "\t").dropFirst(2).first.map(String.init) }
    }

    /// Accepts `Europe/Berlin`, `:Europe/Berlin`, `/usr/share/zoneinfo/Europe/Berlin`, `:/etc/localtime` and
    /// `CET-1CEST,M3.5.0,M10.5.0/3`.
    private func zone(ofVariable variable: String, etc: String) -> Zone? {
        let name = variable.hasPrefix(":") ? String(variable.dropFirst()) : variable
        if name == etc + "/localtime" { return localTime(etc: etc) }
        let known = name.hasPrefix(path + "/") ? String(name.dropFirst(path.count + 1)) : name
        return zone(named: known) ?? Zone(rules: name)
    }

    private func localTime(etc: String) -> Zone? {
        let place = etc + "/localtime"
        // The name in the link is used as it is: `Europe/Berlin` may itself be a link to another name.
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

    /// Whether the name can only refer to a file below the directory.
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

    /// The content of a regular file that is not larger than a zone can be.
    private static func contents(_ path: String) -> Data? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size <= 1_048_576 else {
            return nil
        }
        return FileManager.default.contents(atPath: path)
    }
}
