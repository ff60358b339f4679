extension Int64 {
    /// As a number of bytes: "512 B", "92.4 MB".
    package var bytes: String {
        var (size, unit) = (Double(self), "B")
        for larger in ["kB", "MB", "GB", "TB"] where size >= 1_000 {
            (size, unit) = (size / 1_000, larger)
        }
        return unit == "B" ? "\(self) B" : "\((size * 10).rounded() / 10) \(unit)"
    }
}
