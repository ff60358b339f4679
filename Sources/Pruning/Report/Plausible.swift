extension Int64 {
    /// Whether it can be a number of rows: so few that the sum over all stores and years is a number, too.
    var isCount: Bool { (0...1 << 40).contains(self) }
    /// Whether it can be a number of bytes.
    var isSize: Bool { (0...1 << 50).contains(self) }
}

extension Duration {
    /// Whether it can be the time that something took.
    var isSpan: Bool { (.zero...Duration.seconds(1 << 32)).contains(self) }
}
