import Foundation
import Retention

/// A retention policy as a TOML file.
///
/// Reading never guesses: a key, a table or a value that is not known to mean something is an error that says
/// where it stands and what to write instead.
package enum PolicyFile {
    /// The policy in the file at `path`, a regular file of at most 1 MiB of UTF-8 text, and those in the `conf.d`
    /// beside it.
    ///
    /// Days and longer are counted in `systemTimeZone` when the file names no zone. Throws what is wrong with
    /// the file, or with the way to it (``PolicyFileError/cause``).
    package static func read(
        at path: String, systemTimeZone: Zone
    ) throws(PolicyFileError) -> RetentionPolicy {
        try ConfigurationFiles(path).read(systemTimeZone: systemTimeZone).policy
    }

    /// The policy in `text`; errors name it `file`.
    package static func parse(
        _ text: String, file: String, systemTimeZone: Zone
    ) throws(PolicyFileError) -> RetentionPolicy {
        try Configuration([SourceText(text: text, file: file, name: file)], systemTimeZone: systemTimeZone)
            .policy
    }
}
