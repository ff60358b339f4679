extension Duration {
    /// The duration for a person: "4.1 ms", "2.5 s", "3 min 20 s".
    var text: String {
        let seconds = self / .seconds(1)
        switch seconds {
        case ..<1: return Self.tenths(seconds * 1_000) + " ms"
        case ..<60: return Self.tenths(seconds) + " s"
        default: return "\(Int(seconds) / 60) min \(Int(seconds) % 60) s"
        }
    }

    private static func tenths(_ value: Double) -> String {
        "\((value * 10).rounded() / 10)"
    }
}
