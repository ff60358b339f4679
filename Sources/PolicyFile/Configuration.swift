import Foundation
import Retention

/// What the configuration files say together.
public struct Configuration: Equatable, Sendable {
    /// What is deleted, and where.
    public let policy: RetentionPolicy
    /// The files that say it, each over those before it; the built-in policy is none.
    public let files: [String]
    /// Every value in force, and where it comes from.
    public let settings: [Setting]

    /// What `sources` say, each over those before it.
    init(_ sources: [SourceText], systemTimeZone: TimeZone) throws(PolicyFileError) {
        var layers: [Layer] = []
        for source in sources { layers.append(try source.parsed()) }
        let reader = try TableReader<FileKey>(layers, at: [])
        policy = try RetentionPolicy(reader, systemTimeZone: systemTimeZone)
        files = sources.filter { !$0.isBuiltIn }.map(\.file)
        settings = Setting.all(of: policy, in: layers)
    }
}
