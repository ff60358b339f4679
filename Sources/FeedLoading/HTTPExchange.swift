import CLibCurl
import Foundation
import ReaderStore
import Synchronization

/// One request and its answer, with libcurl.
///
/// It uses libcurl directly, because Foundation's `URLSession` ends the process when a server redirects to something
/// that it cannot parse as an address (seen with Swift 6.3). Here, redirects are ordinary answers.
///
/// It is unchecked, because libcurl's handles are pointers. `transfer` and its callbacks are used only by the thread
/// that performs the request. Other threads only wake up `transfers`, which libcurl permits.
final class HTTPExchange: @unchecked Sendable {
    /// Why there is no answer.
    enum Failure: Error {
        case tooLarge
        case tooLate
        /// The answer was cut off.
        case incomplete(String)
        case connection(String)
    }

    private let request: HTTPRequest
    private let transfers: UnsafeMutableRawPointer
    private let transfer: UnsafeMutableRawPointer
    private var headers: UnsafeMutablePointer<curl_slist>?
    private let reason: UnsafeMutablePointer<CChar>
    private var body = Data()
    private var isTooLarge = false
    private var isAnswered = false
    private let isCancelled = Atomic(false)

    /// Sends the request and returns the answer. Throws a ``Failure``, or `CancellationError` as soon as the task is
    /// cancelled.
    static func answer(to request: HTTPRequest) async throws -> HTTPAnswer {
        let exchange = try HTTPExchange(request)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // `perform` blocks, which no thread of Swift's pool may.
                Thread.detachNewThread { continuation.resume(with: Result { try exchange.perform() }) }
            }
        } onCancel: {
            exchange.isCancelled.store(true, ordering: .releasing)
            curl_multi_wakeup(exchange.transfers)
        }
    }

    private static let once: Void = { curl_global_init(Int(CURL_GLOBAL_DEFAULT)) }()

    private init(_ request: HTTPRequest) throws {
        _ = Self.once
        guard let transfers = curl_multi_init(), let transfer = curl_easy_init() else {
            throw Failure.connection("no memory")
        }
        self.request = request
        self.transfers = transfers
        self.transfer = transfer
        reason = .allocate(capacity: Int(CURL_ERROR_SIZE))
        reason.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
        configure()
        curl_multi_add_handle(transfers, transfer)
    }

    deinit {
        curl_multi_remove_handle(transfers, transfer)
        curl_easy_cleanup(transfer)
        curl_multi_cleanup(transfers)
        curl_slist_free_all(headers)
        reason.deallocate()
    }

    private func configure() {
        curl_set_text(transfer, CURLOPT_URL, request.url.absoluteString)
        curl_set_text(transfer, CURLOPT_PROTOCOLS_STR, "http,https")
        // Accept every content encoding that this libcurl supports.
        curl_set_text(transfer, CURLOPT_ACCEPT_ENCODING, "")
        for header in request.headers { headers = curl_slist_append(headers, header) }
        curl_set_pointer(transfer, CURLOPT_HTTPHEADER, headers)
        curl_set_number(transfer, CURLOPT_NOSIGNAL, 1)
        curl_set_number(transfer, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // 0 would mean no limit, and libcurl uses 32 bits.
        let time = Int(min(max(1, request.time / .milliseconds(1)), Double(Int32.max)))
        curl_set_number(transfer, CURLOPT_TIMEOUT_MS, time)
        curl_set_size(transfer, CURLOPT_MAXFILESIZE_LARGE, curl_off_t(request.size))
        curl_set_pointer(transfer, CURLOPT_ERRORBUFFER, reason)
        let this = Unmanaged.passUnretained(self).toOpaque()
        curl_set_pointer(transfer, CURLOPT_HEADERDATA, this)
        curl_set_callback(transfer, CURLOPT_HEADERFUNCTION) { bytes, size, count, this in
            guard let bytes, let this else { return 0 }
            let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Unmanaged<HTTPExchange>.fromOpaque(this).takeUnretainedValue().receive(header: line)
        }
        curl_set_pointer(transfer, CURLOPT_WRITEDATA, this)
        curl_set_callback(transfer, CURLOPT_WRITEFUNCTION) { bytes, size, count, this in
            guard let bytes, let this else { return 0 }
            let part = UnsafeRawBufferPointer(start: bytes, count: size * count)
            return Unmanaged<HTTPExchange>.fromOpaque(this).takeUnretainedValue().receive(body: part)
        }
    }

    /// `receive(header:)` and `receive(body:)` end the transfer by returning a number other than the size of their
    /// input.
    private func receive(header line: UnsafeRawBufferPointer) -> Int {
        // An empty line ends the headers. The body is not needed unless the status is 200.
        guard line.elementsEqual("\r\n".utf8) || line.elementsEqual("\n".utf8) else { return line.count }
        let status = curl_response_code(transfer)
        isAnswered = status >= 200
        return isAnswered && status != 200 ? 0 : line.count
    }

    private func receive(body part: UnsafeRawBufferPointer) -> Int {
        isTooLarge = body.count + part.count > request.size
        if isTooLarge { return 0 }
        body.append(contentsOf: part)
        return part.count
    }

    private func perform() throws -> HTTPAnswer {
        var running: Int32 = 1
        while running > 0 {
            if isCancelled.load(ordering: .acquiring) { throw CancellationError() }
            guard curl_multi_perform(transfers, &running) == CURLM_OK,
                running == 0 || curl_multi_poll(transfers, nil, 0, 1000, nil) == CURLM_OK
            else { throw Failure.connection("no memory") }
        }
        let result = CURLcode(UInt32(bitPattern: curl_multi_result(transfers)))
        let status = curl_response_code(transfer)
        if result != CURLE_OK, !isAnswered || status == 200 { throw failure(result) }
        return HTTPAnswer(
            status: status, contentType: header("Content-Type"),
            validators: FeedValidators(etag: header("ETag"), lastModified: header("Last-Modified")),
            location: header("Location"), body: body)
    }

    private func failure(_ result: CURLcode) -> Failure {
        if isTooLarge || result == CURLE_FILESIZE_EXCEEDED { return .tooLarge }
        if result == CURLE_OPERATION_TIMEDOUT { return .tooLate }
        let told = String(cString: reason)
        let text = told.isEmpty ? String(cString: curl_easy_strerror(result)) : told
        return isAnswered ? .incomplete(text) : .connection(text)
    }

    /// Nil also when the header is not valid UTF-8, since it could not be sent back unchanged.
    private func header(_ name: String) -> String? {
        curl_header_value(transfer, name).flatMap { String(validatingCString: $0) }
    }
}
