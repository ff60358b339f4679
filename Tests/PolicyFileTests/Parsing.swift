import Foundation
import PolicyFile
import Retention
import Testing

/// The policy in `text`, read where the system's time zone is UTC.
func parse(_ text: String) throws(PolicyFileError) -> RetentionPolicy {
    try Configuration(text, file: "pruned.toml", systemTimeZone: .gmt).policy
}

/// The error that reading `text` ends in.
func error(in text: String, sourceLocation: SourceLocation = #_sourceLocation) throws -> PolicyFileError {
    try #require(throws: PolicyFileError.self, sourceLocation: sourceLocation) { try parse(text) }
}

/// A file with one store and the rule `r`, whose keys are `keys`.
func file(rule keys: String) -> String {
    "[store.s]\npath = \"s.sqlite\"\n[rule.r]\ntable = \"t\"\n\(keys)\n"
}

/// A rule's keys that are enough for a policy.
let enough = "age_column = \"at\"\nkeep = \"30d\""
