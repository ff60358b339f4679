import Foundation
import Retention

/// How many rows are left of a confirmed deletion, written down after each batch: a run that is killed leaves behind what
/// was left, and not what it began with.
///
/// It is a file of its own that is written in place, in a few microseconds. It outlives the process; what it says may be old
/// after the machine went down, so that a figure of another boot counts as unknown. Whoever is killed between a batch and its
/// record leaves a figure that is too high by that batch.
final class ConfirmedRest: Sendable {
    private let descriptor: Int32
    private let path: String
    private let machine: MachineClock

    /// What the file says.
    private struct Content: Codable {
        let left: Int64
        let inHand: Int64
        let secondsSinceBoot: Double
        let bootID: String?

        enum CodingKeys: String, CodingKey {
            case left
            case inHand = "in_hand"
            case secondsSinceBoot = "seconds_since_boot"
            case bootID = "boot_id"
        }
    }

    /// Longer than any content, so that each overwrites the last one.
    private static let length = 200

    /// Begins with `left` rows, in the place of an older record.
    init(of rule: Name, left: Int64, in directory: String, _ machine: MachineClock) throws(StoreError) {
        path = Self.path(of: rule, in: directory)
        self.machine = machine
        unlink(path)
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o660)
        guard descriptor >= 0 else { throw .system(errno, operation: Self.purpose, place: path) }
        fchmod(descriptor, 0o660)  // whatever the umask: the group shares the directory
        try record(left, inHand: Int64(BatchPacer.firstRows))
    }

    deinit { close(descriptor) }

    private static let purpose = "remember what is left of a confirmed deletion"

    private static func path(of rule: Name, in directory: String) -> String {
        "\(directory)/confirmed-\(rule).json"
    }

    /// Writes down how many rows are left, and how many of them the next batch may delete.
    func record(_ left: Int64, inHand: Int64) throws(StoreError) {
        let content = Content(
            left: left, inHand: inHand, secondsSinceBoot: machine.sinceBoot().seconds, bootID: machine.bootID)
        var line = (try? JSONEncoder().encode(content)) ?? Data()
        line += Data(repeating: UInt8(ascii: " "), count: max(0, Self.length - line.count))
        errno = ENOSPC  // why a write may be cut short without saying so
        let written = line.withUnsafeBytes { pwrite(descriptor, $0.baseAddress, $0.count, 0) }
        guard written == line.count else { throw .system(errno, operation: Self.purpose, place: path) }
    }

    /// What was left of a rule's confirmed deletion when that last said so, and how much of it may have gone since; nil where
    /// that is not known.
    static func left(
        of rule: Name, in directory: String, _ machine: MachineClock
    ) -> (rows: Int64, inHand: Int64)? {
        guard let data = RegularFile.contents(atPath: path(of: rule, in: directory)),
            StoredNumbers.areBounded(data), let content = try? JSONDecoder().decode(Content.self, from: data),
            content.bootID == machine.bootID || content.bootID == nil || machine.bootID == nil,
            content.secondsSinceBoot <= machine.sinceBoot().seconds
        else { return nil }
        return (content.left, content.inHand)
    }

    /// Removes the record, after a run that has said itself what it left.
    static func remove(of rule: Name, in directory: String) { unlink(path(of: rule, in: directory)) }
}
