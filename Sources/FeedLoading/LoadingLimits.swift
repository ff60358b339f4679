/// What loading a feed may cost.
public struct LoadingLimits: Hashable, Sendable {
    /// The largest answer that is read, in bytes, after decompression. A larger one is given up where it gets larger.
    public var size: Int
    /// How long everything may take, from the first connection to the last article, redirects included.
    public var time: Duration
    /// How many redirects are followed.
    public var redirects: Int

    /// See the properties. By default 10 MB, 30 s, and 10 redirects.
    public init(size: Int = 10_000_000, time: Duration = .seconds(30), redirects: Int = 10) {
        self.size = size
        self.time = time
        self.redirects = redirects
    }
}
