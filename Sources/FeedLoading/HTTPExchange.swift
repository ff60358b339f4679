import Foundation
import FoundationNetworking
import ReaderStore
import Synchronization

/// One request and its answer, as the delegate of one task of a session.
///
/// A redirect is an answer like others: Foundation resolves relative ones wrongly, and it crashes when a task is
/// cancelled while it waits for the decision on one.
final class HTTPExchange: NSObject, URLSessionDataDelegate {
    /// Why there is no answer.
    enum Failure: Error {
        case tooLarge
        /// The connection failed, with what was known then: whether the answer had begun.
        case connection(String, answered: Bool)
    }

    private struct State: Sendable {
        var continuation: CheckedContinuation<HTTPAnswer, any Error>?
        var answer: HTTPAnswer?
        var result: Result<HTTPAnswer, any Error>?
    }

    private let limit: Int
    private let state = Mutex(State())

    private init(limit: Int) { self.limit = limit }

    /// The answer to a request. Throws a ``Failure``, or `CancellationError` as soon as the task is cancelled.
    static func answer(to request: URLRequest, in session: URLSession, limit: Int) async throws -> HTTPAnswer
    {
        let exchange = HTTPExchange(limit: limit)
        let task = session.dataTask(with: request)
        task.delegate = exchange
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = exchange.state.withLock { state in
                    state.continuation = continuation
                    return state.result
                }
                if let result { continuation.resume(with: result) } else { task.resume() }
            }
        } onCancel: {
            exchange.finish(task, .failure(CancellationError()))
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        completionHandler(.allow)
        guard let response = response as? HTTPURLResponse else { return }
        let answer = HTTPAnswer(response)
        state.withLock { $0.answer = answer }
        if answer.status != 200 { return finish(dataTask, .success(answer)) }
        if response.expectedContentLength > Int64(limit) { finish(dataTask, .failure(Failure.tooLarge)) }
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        let isTooLarge = state.withLock { state in
            guard state.result == nil else { return false }
            state.answer?.body.append(data)
            return (state.answer?.body.count ?? 0) > limit
        }
        if isTooLarge { finish(dataTask, .failure(Failure.tooLarge)) }
    }

    // The completion handler is never called: the task ends here.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        finish(task, .success(HTTPAnswer(response)))
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        let answer = state.withLock(\.answer)
        if let error {
            let failure = Failure.connection(error.localizedDescription, answered: answer != nil)
            finish(task, .failure(failure))
        } else if let answer {
            finish(task, .success(answer))
        } else {
            finish(task, .failure(Failure.connection("no answer", answered: false)))
        }
    }

    /// The first result counts. What the task would still do is of no interest then.
    private func finish(_ task: URLSessionTask, _ result: Result<HTTPAnswer, any Error>) {
        let continuation = state.withLock { state -> CheckedContinuation<HTTPAnswer, any Error>? in
            guard state.result == nil else { return nil }
            state.result = result
            state.answer = nil
            defer { state.continuation = nil }
            return state.continuation
        }
        task.cancel()
        continuation?.resume(with: result)
    }
}

extension HTTPAnswer {
    fileprivate init(_ response: HTTPURLResponse) {
        self.init(
            status: response.statusCode,
            contentType: response.value(forHTTPHeaderField: "Content-Type"),
            validators: FeedValidators(
                etag: response.value(forHTTPHeaderField: "ETag"),
                lastModified: response.value(forHTTPHeaderField: "Last-Modified")),
            location: response.value(forHTTPHeaderField: "Location"))
    }
}
