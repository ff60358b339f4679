import FeedLoading
import Testing

@Suite struct FeedFormatTests {}
