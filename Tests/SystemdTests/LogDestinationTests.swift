import Foundation
import Systemd
import Testing

struct LogDestinationTests {
    private static let file = StreamIdentity(device: 9, inode: 1234, isTerminal: false)
    private static let terminal = StreamIdentity(device: 9, inode: 1234, isTerminal: true)

    @Test(
        "the journal takes messages only when it is standard error itself",
        arguments: [
            ("9:1234", file, .journal),
            ("9:1235", file, .prefixedText),
            ("8:1234", file, .prefixedText),
            ("1234:9", file, .prefixedText),
            ("nonsense", file, .prefixedText),
            ("", file, .prefixedText),
            ("9:1235", terminal, .plainText),
            ("9:1234", nil, .plainText),
        ] as [(String, StreamIdentity?, LogDestination)])
    func journal(stream: String, standardError: StreamIdentity?, expected: LogDestination) {
        let environment = ["JOURNAL_STREAM": stream, "INVOCATION_ID": "0a"]
        #expect(LogDestination(environment: environment, standardError: standardError) == expected)
    }

    @Test(
        "priorities are written under a service manager, unless a person reads them",
        arguments: ["INVOCATION_ID", "JOURNAL_STREAM", "NOTIFY_SOCKET"])
    func serviceManager(variable: String) {
        let environment = [variable: "x"]
        #expect(LogDestination(environment: environment, standardError: Self.file) == .prefixedText)
        #expect(LogDestination(environment: environment, standardError: Self.terminal) == .plainText)
    }

    @Test("without a service manager the text is plain", arguments: [file, terminal, nil])
    func noServiceManager(standardError: StreamIdentity?) {
        #expect(LogDestination(environment: ["HOME": "/root"], standardError: standardError) == .plainText)
    }

    @Test("the identity of an open file is the one the system reports, a closed descriptor has none")
    func streamIdentity() throws {
        let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        #expect(FileManager.default.createFile(atPath: path, contents: nil))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let attributes = try FileManager.default.attributesOfItem(atPath: path)
        let handle = try #require(FileHandle(forReadingAtPath: path))
        let identity = try #require(StreamIdentity(fileDescriptor: handle.fileDescriptor))
        #expect(identity.inode == (attributes[.systemFileNumber] as? NSNumber)?.uint64Value)
        #expect(!identity.isTerminal)
        #expect(StreamIdentity(fileDescriptor: -1) == nil)
    }

    @Test("standard error on a real terminal is recognised as one")
    func terminalIdentity() throws {
        let terminal = open("/dev/ptmx", O_RDWR | O_NOCTTY)
        try #require(terminal >= 0)
        defer { close(terminal) }
        #expect(try #require(StreamIdentity(fileDescriptor: terminal)).isTerminal)
    }

    @Test("standard error that is the stream named by the environment is the journal")
    func ownStandardError() throws {
        let own = try #require(StreamIdentity(fileDescriptor: STDERR_FILENO))
        #expect(LogDestination(environment: ["JOURNAL_STREAM": "\(own.device):\(own.inode)"]) == .journal)
    }

    @Test("each destination has the handler that writes there")
    func handlers() {
        #expect(LogDestination.journal.makeLogHandler(identifier: "pruned") is JournalLogHandler)
        for destination in [LogDestination.prefixedText, .plainText] {
            #expect(destination.makeLogHandler(identifier: "pruned") is StandardErrorLogHandler)
        }
    }
}
