import Foundation
import Retention

/// What the configuration files say together.
public struct Configuration: Equatable, Sendable {
    /// What is deleted, and where.
    public let policy: RetentionPolicy
    /// Where metrics are written, an absolute path; nil: nowhere.
    public let metricsFile: String?
    /// The files that say it, each over those before it; the built-in policy is none.
    public let files: [String]
    /// Every value in force, and where it comes from.
    public let settings: [Setting]
    /// What stands in ``files``, by path.
    let texts: [String: String]

    /// What `sources` say, each over those before it.
    init(_ sources: [SourceText], systemTimeZone: TimeZone) throws(PolicyFileError) {
        var layers: [Layer] = []
        for source in sources { layers.append(try source.parsed()) }
        let reader = try TableReader<FileKey>(layers, at: [])
        policy = try RetentionPolicy(reader, systemTimeZone: systemTimeZone)
        metricsFile = try Self.metricsFile(reader)
        let read = sources.filter { !$0.isBuiltIn }
        files = read.map(\.file)
        texts = Dictionary(read.map { ($0.file, $0.text) }) { $1 }
        settings = Setting.all(of: policy, metricsFile: metricsFile, in: layers)
    }

    private static func metricsFile(_ reader: TableReader<FileKey>) throws(PolicyFileError) -> String? {
        guard let path = try reader.string(.metricsFile) else { return nil }
        let example = "write a path such as \"/var/lib/prometheus/node-exporter/pruned.prom\""
        guard path.hasPrefix("/") else {
            throw reader.error(.metricsFile, "is not an absolute path", hint: example)
        }
        guard path.hasSuffix(".prom") else {
            throw reader.error(
                .metricsFile, "does not end in .prom", hint: "node_exporter reads no others; \(example)")
        }
        return path
    }
}
