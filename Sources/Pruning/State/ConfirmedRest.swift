import FoundationEssentials
import Glibc
import Retention

/// Which rows are left of a confirmed deletion, written down after each batch: a run that is killed leaves behind what
/// was left, and not what it began with.
///
/// It is a file of its own that is written in place, in a few microseconds. Whoever is killed between a batch and its
/// record, or goes down with the machine, may leave a record that is not of the rows that are there. It covers none of
/// them, and a person is asked once more.
final class ConfirmedRest {
    private let descriptor: Int32
    private let path: String
    private var left: RowsFingerprint

    /// Longer than any content, so that each overwrites the last one.
    private static let length = 100

    /// Begins with `left`, in the place of an older record.
    init(of rule: Name, left: RowsFingerprint, in directory: String) throws(StoreError) {
        path = Self.path(of: rule, in: directory)
        self.left = left
        unlink(path)
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o660)
        guard descriptor >= 0 else { throw .system(errno, operation: Self.purpose, place: path) }
        fchmod(descriptor, 0o660)  // whatever the umask: the group shares the directory
        try record()
    }

    deinit { close(descriptor) }

    private static let purpose = "remember what is left of a confirmed deletion"

    private static func path(of rule: Name, in directory: String) -> String {
        "\(directory)/confirmed-\(rule).json"
    }

    /// Writes down that these rows went.
    func take(_ gone: RowsFingerprint) throws(StoreError) {
        left = left - gone
        try record()
    }

    private func record() throws(StoreError) {
        var line = (try? JSONEncoder().encode(left)) ?? Data()
        line += Data(repeating: UInt8(ascii: " "), count: max(0, Self.length - line.count))
        errno = ENOSPC  // why a write may be cut short without saying so
        let written = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard written == line.count else { throw .system(errno, operation: Self.purpose, place: path) }
    }

    /// What was left of a rule's confirmed deletion when that last said so; nil where that is not known.
    static func left(of rule: Name, in directory: String) -> RowsFingerprint? {
        guard let data = RegularFile.contents(atPath: path(of: rule, in: directory)),
            StoredNumbers.areBounded(data)
        else { return nil }
        return try? JSONDecoder().decode(RowsFingerprint.self, from: data)
    }

    /// Removes the record, after a run that has said itself what it left.
    static func remove(of rule: Name, in directory: String) { unlink(path(of: rule, in: directory)) }
}
