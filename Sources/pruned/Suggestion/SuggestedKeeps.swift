import Retention

/// The periods that a person chooses from, the longest first.
enum SuggestedKeeps {
    static let all = [Span(1, .year), Span(90, .day), Span(30, .day)]
}
