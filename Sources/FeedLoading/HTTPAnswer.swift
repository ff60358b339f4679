import Foundation
import ReaderStore

/// What a server answered to one request.
struct HTTPAnswer: Sendable {
    let status: Int
    let contentType: String?
    let validators: FeedValidators
    /// Where to ask instead, as it was sent.
    let location: String?
    /// Whole, and decompressed. Empty unless the status is 200: what comes with an error is not read.
    let body: Data
}
