import Glibc

/// What an open file is, as far as it matters for logging to it.
public struct StreamIdentity: Hashable, Sendable {
    /// `st_dev` of the file.
    public var device: UInt64
    /// `st_ino` of the file.
    public var inode: UInt64
    /// Whether a person reads it.
    public var isTerminal: Bool

    /// An identity with these values.
    public init(device: UInt64, inode: UInt64, isTerminal: Bool) {
        self.device = device
        self.inode = inode
        self.isTerminal = isTerminal
    }

    /// The identity of an open file; nil when the descriptor is closed.
    public init?(fileDescriptor: Int32) {
        var status = stat()
        guard fstat(fileDescriptor, &status) == 0 else { return nil }
        self.init(
            device: UInt64(status.st_dev), inode: UInt64(status.st_ino),
            isTerminal: isatty(fileDescriptor) == 1)
    }
}
