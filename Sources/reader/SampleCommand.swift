import ArgumentParser
import Foundation
import ReaderStore

/// `reader sample`: a store to try the service on.
struct SampleCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample", abstract: "Make a store and fill it with sample rows.",
        discussion: """
            N read records, N/10 tweets and N/10 items, spread over the last 50, 50 and 300 days, and feeds of \
            20 articles each, half of them stale: 40 feeds for 100000 records, 10 times as many for 100 times \
            the records. A store that has rows is left alone.
            """)

    @Option(help: "The state directory, made when missing.", completion: .directory)
    var stateDir: String?

    @Option(help: "How many read records, from 1 to \(Sample.largest).")
    var records = 100_000

    func validate() throws {
        guard stateDir != "" else { throw ValidationError("--state-dir is empty") }
        guard (1...Sample.largest).contains(records) else {
            throw ValidationError("--records must lie between 1 and \(Sample.largest)")
        }
    }

    func run() throws {
        do {
            for (table, rows) in try fill() {
                print(table.padding(toLength: 11, withPad: " ", startingAt: 0), aligned(rows))
            }
        } catch let error as ReaderStoreError {
            throw failure(error.description, exitCode(of: error))
        } catch let error as SampleError {
            throw failure(error.description, .failure)
        }
    }

    private func fill() throws -> [(table: String, rows: Int)] {
        let directory = StateDirectory.resolve(
            option: stateDir, environment: ProcessInfo.processInfo.environment, isRoot: geteuid() == 0,
            userName: NSUserName())
        // What follows wants an absolute path; this makes it one without resolving links.
        let url = URL(fileURLWithPath: directory, isDirectory: true)
        try StateDirectory.createIfMissing(at: url.path)
        let path = url.appendingPathComponent(ReaderStore.fileName).path
        return try Sample(records: records, now: Int64(Date().timeIntervalSince1970)).fill(storeAt: path)
    }

    private func aligned(_ rows: Int) -> String {
        let digits = String(rows)
        return String(repeating: " ", count: max(0, 10 - digits.count)) + digits
    }

    private func failure(_ message: String, _ code: ExitCode) -> ExitCode {
        FileHandle.standardError.write(Data("reader: \(message)\n".utf8))
        return code
    }

    private func exitCode(of error: ReaderStoreError) -> ExitCode {
        switch error.kind {
        case .foreign, .newer, .damaged: ExitCode(EX_DATAERR)
        case .busy: ExitCode(EX_TEMPFAIL)
        case .inputOutput: ExitCode(EX_IOERR)
        }
    }
}
