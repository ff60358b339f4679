import Glibc

/// What an open file is, as far as it matters for logging to it.
package struct StreamIdentity: Hashable, Sendable {
    /// `st_dev` of the file.
    package var device: UInt64
    /// `st_ino` of the file.
    package var inode: UInt64
    /// Whether a person reads it.
    package var isTerminal: Bool

    /// An identity with these values.
    package init(device: UInt64, inode: UInt64, isTerminal: Bool) {
        self.device = device
        self.inode = inode
        self.isTerminal = isTerminal
    }

    /// The identity of an open file; nil when the descriptor is closed.
    package init?(fileDescriptor: Int32) {
        var status = stat()
        guard fstat(fileDescriptor, &status) == 0 else { return nil }
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            isTerminal: isatty(fileDescriptor) == 1)
    }
}
