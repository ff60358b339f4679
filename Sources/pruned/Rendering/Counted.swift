import Pruning

extension Int {
    /// "1 store", "1,200 stores".
    func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }
}
