import FoundationEssentials
import Glibc

/// What was done, held, confirmed and refused, in two files of the state directory, one entry a line: the older is
/// dropped when the newer has reached its limit.
///
/// Any number of processes may append and read at the same time.
package struct RunHistory: Sendable {
    private let directory: String
    private let limit: Int
    private var path: String { directory + "/history.jsonl" }
    private var olderPath: String { directory + "/history.1.jsonl" }

    /// Of each of the two files, in bytes: months of a service that deletes something every five minutes.
    package static let limit = 8_000_000

    /// The history of a state directory, of twice `limit` bytes.
    package init(stateDirectory: String, limit: Int = Self.limit) {
        directory = stateDirectory
        self.limit = limit
    }

    /// Appends `entries`, all or none, and returns when they are durable; those of quiet runs, and of what just began,
    /// are left to the system's own time.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` or ``StoreError/Kind-swift.enum/full``.
    package func append(_ entries: [HistoryEntry]) throws(StoreError) {
        guard !entries.isEmpty else { return }
        let text: String
        do {
            text = try entries.map { try $0.json() + "\n" }.joined()
        } catch {
            throw StoreError(.other, operation: Self.appending, place: path, cause: "\(error)")
        }
        let isWorthWaiting = entries.contains { $0.kind != .quiet && $0.kind != .begun }
        try DirectoryLock.hold(directory, failure: appendFailure) { () throws(StoreError) in
            try append(Data(text.utf8), isDurable: isWorthWaiting)
        }
    }

    private func append(_ data: Data, isDurable: Bool) throws(StoreError) {
        try makeRoom(for: data.count)
        let (file, size) = try openForAppending()
        defer { close(file) }
        // Whoever was killed in the middle of a line keeps no other from being read.
        let isTorn = size > 0 && lastByte(of: file, size) != UInt8(ascii: "\n")
        let bytes = (isTorn ? Data("\n".utf8) : Data()) + data
        errno = ENOSPC  // why a write may be cut short without saying so
        let count = bytes.withUnsafeBytes { write(file, $0.baseAddress, $0.count) }
        guard count == bytes.count else {
            let code = errno
            ftruncate(file, off_t(size))
            throw appendFailure(code)
        }
        guard !isDurable || fsync(file) == 0 else { throw appendFailure(errno) }
    }

    private func makeRoom(for count: Int) throws(StoreError) {
        var status = stat()
        guard lstat(path, &status) == 0, status.st_size > 0, Int(status.st_size) + count > limit else {
            return
        }
        guard rename(path, olderPath) == 0 else { throw appendFailure(errno) }
    }

    private func openForAppending() throws(StoreError) -> (file: Int32, size: Int) {
        guard StateDamage.isMissing(path) || RegularFile.isAt(path) else {
            throw notAFile(Self.appending, path)
        }
        // Not blocking: what lies there may be a pipe by now.
        let flags = O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK
        let file = open(path, flags, 0o660)
        guard file >= 0 else { throw appendFailure(errno) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw notAFile(Self.appending, path)
        }
        if status.st_size == 0 { fchmod(file, 0o660) }  // whatever the umask: the group shares the directory
        return (file, Int(status.st_size))
    }

    private func lastByte(of file: Int32, _ size: Int) -> UInt8? {
        var byte: UInt8 = 0
        return pread(file, &byte, 1, off_t(size - 1)) == 1 ? byte : nil
    }

    /// What is in the files.
    package struct Contents: Equatable, Sendable {
        /// In the order in which they were appended.
        package var entries: [HistoryEntry] = []
        /// The files with lines that are no entries.
        package var damaged: [DamagedFile] = []

        /// A file, and how many lines of it are no entries: they were cut off, or somebody else has written there.
        package struct DamagedFile: Equatable, Sendable {
            let path: String
            let lines: Int
        }

        /// Nothing.
        package init() {}
    }

    /// All entries; what is no entry is left out. See ``contents()``.
    package func entries() throws(StoreError) -> [HistoryEntry] { try contents().entries }

    /// What is in the files; nothing when there is no such directory.
    ///
    /// Throws ``StoreError/Kind-swift.enum/inputOutput`` when it cannot be read.
    package func contents() throws(StoreError) -> Contents {
        var status = stat()
        if stat(directory, &status) != 0, errno == ENOENT { return Contents() }
        // Under the lock both files are of one moment; what is open stays so when it is renamed.
        let files = try DirectoryLock.hold(directory, .shared, failure: readFailure) {
            () throws(StoreError) in
            [(olderPath, try openForReading(olderPath)), (path, try openForReading(path))]
        }
        var contents = Contents()
        for case (let path, let file?) in files {
            guard let data = file.read() else { throw readFailure(EIO) }
            let lines = data.split(separator: UInt8(ascii: "\n"))
            let entries = lines.compactMap { HistoryLine.entry(of: $0) }
            contents.entries += entries
            let strays = lines.count - entries.count
            if strays > 0 { contents.damaged.append(.init(path: path, lines: strays)) }
        }
        return contents
    }

    /// Nil when there is no such file.
    private func openForReading(_ path: String) throws(StoreError) -> OpenFile? {
        guard StateDamage.isMissing(path) || RegularFile.isAt(path) else {
            throw notAFile(Self.reading, path)
        }
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard file >= 0 else {
            if errno == ENOENT { return nil }
            throw .system(errno, operation: Self.reading, place: path)
        }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            close(file)
            throw notAFile(Self.reading, path)
        }
        return OpenFile(file)
    }

    private static let appending = "keep the history"
    private static let reading = "read the history"

    private func appendFailure(_ code: Int32) -> StoreError {
        .system(code, operation: Self.appending, place: path)
    }

    private func readFailure(_ code: Int32) -> StoreError {
        .system(code, operation: Self.reading, place: directory)
    }

    private func notAFile(_ operation: String, _ path: String) -> StoreError {
        StoreError(
            .inputOutput, operation: operation, place: path, cause: "it is not a regular file with one name",
            hint: "move it away; the next run creates a new one")
    }
}
