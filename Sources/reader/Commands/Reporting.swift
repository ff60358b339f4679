import ArgumentParser
import FeedLoading
import Foundation
import ReaderStore

/// Reports errors on one line, and ends with their exit status.
enum Reporting {
    static func reported<Result>(_ body: () throws -> Result) throws -> Result {
        do { return try body() } catch { throw exit(after: error) }
    }

    static func reported<Result>(_ body: () async throws -> Result) async throws -> Result {
        do { return try await body() } catch { throw exit(after: error) }
    }

    private static func exit(after error: any Error) -> any Error {
        switch error {
        case let error as ReaderStoreError: said("\(error)", status(of: error))
        case let error as FeedError: said("\(error)", status(of: error))
        case is SampleError, is ExistingTweetError: said("\(error)", 1)
        case is ExitCode, is ValidationError, is CleanExit: error
        default: said("\(error)", EX_IOERR)
        }
    }

    private static func said(_ message: String, _ status: Int32) -> ExitCode {
        Output.say(message)
        return ExitCode(status)
    }

    private static func status(of error: FeedError) -> Int32 {
        switch error.kind {
        case .address: EX_USAGE
        case .notAFeed, .malformed, .encoding: EX_DATAERR
        case .connection, .timeout, .status, .redirect, .size, .incomplete: EX_IOERR
        }
    }

    private static func status(of error: ReaderStoreError) -> Int32 {
        switch error.kind {
        case .foreign, .newer, .damaged, .invalid: EX_DATAERR
        case .busy: EX_TEMPFAIL
        case .inputOutput, .moved: EX_IOERR
        case .exists, .missing, .misuse: 1
        }
    }
}

/// The tweet exists already, and `--update` was not given.
struct ExistingTweetError: Error, CustomStringConvertible {
    let error: ReaderStoreError

    var description: String {
        "cannot \(error.operation) \(error.path): \(error.cause) (--update replaces it; nothing was imported)"
    }
}
