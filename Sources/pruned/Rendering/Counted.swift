import Pruning

extension BinaryInteger {
    /// The number with the noun: "1 store", "1,200 stores".
    func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}
