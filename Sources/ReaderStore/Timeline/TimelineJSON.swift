import Foundation

/// The timeline in the API's JSON.
public enum TimelineJSON {
    /// Parses an array of tweets.
    ///
    /// `created_at` is in the API's format ("Wed Oct 10 20:19:24 +0000 2018") or in ISO 8601. Throws
    /// ``ReaderStoreError/Kind-swift.enum/invalid``, which names the first error and its place. `source` names the
    /// origin of the data.
    public static func tweets(in data: Data, from source: String) throws(ReaderStoreError) -> [Tweet] {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            let text = try container.decode(String.self)
            guard let date = TimelineDate(text)?.date else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "\"\(text.prefix(60))\" is not a time")
            }
            return date
        }
        do { return try decoder.decode([Tweet].self, from: data) } catch {
            throw ReaderStoreError(
                kind: .invalid, operation: "read the timeline in", path: source,
                cause: cause(error) ?? noJSON(data),
                hint: "it should be the API's array of tweets: id, text, created_at, user")
        }
    }

    /// What is wrong and where; nil when the decoder does not know.
    private static func cause(_ error: any Error) -> String? {
        guard let error = error as? DecodingError else { return "\(error)" }
        let (context, missing): (DecodingError.Context, String?) =
            switch error {
            case .keyNotFound(let key, let context): (context, "there is no \"\(key.stringValue)\"")
            case .dataCorrupted(let context), .typeMismatch(_, let context), .valueNotFound(_, let context):
                (context, nil)
            @unknown default: (DecodingError.Context(codingPath: [], debugDescription: "\(error)"), nil)
            }
        if case .dataCorrupted = error, context.codingPath.isEmpty { return nil }
        let place = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? ".\($0.stringValue)" }.joined()
        return (place.isEmpty ? "" : "at \(place): ") + (missing ?? context.debugDescription)
    }

    /// The decoder does not say where the JSON is malformed, but Foundation's older parser does.
    private static func noJSON(_ data: Data) -> String {
        do { _ = try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) } catch {
            let detail = (error as NSError).userInfo["NSDebugDescription"] as? String
            return "it is no JSON" + (detail.map { ": \($0)" } ?? "")
        }
        return "it is no JSON, or a number in it has too many digits"
    }
}
