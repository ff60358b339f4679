import Foundation

/// What the benchmark does at the moment, line by line on standard error.
struct Progress {
    private let start = MonotonicClock.nanoseconds

    func say(_ text: String) {
        let seconds = Double(MonotonicClock.nanoseconds - start) / 1e9
        FileHandle.standardError.write(Data("[\(seconds.formatted(digits: 0)) s] \(text)\n".utf8))
    }
}

extension Double {
    /// With `digits` after the point, in every locale.
    func formatted(digits: Int) -> String { String(format: "%.\(digits)f", self) }
}
