import Glibc
import Pruning
import SQLite
import TerminalText

extension StoreError {
    /// Why the directory of a store at `path` was not opened.
    init(_ refusal: PathRefusal, onTheWayTo path: String) {
        let operation = "open the directory of the store"
        switch refusal {
        case .system(EACCES):
            let system = StoreError.system(EACCES, operation: operation, place: path)
            self.init(
                system.kind, operation: operation, place: path,
                cause: "its directory cannot be entered (\(system.cause))", hint: system.hint)
        case .system(let code):
            self = .system(
                code, operation: operation, place: path,
                hint: code == ENOENT ? "the app creates it; until then there is nothing to prune" : nil)
        case .link(let owner):
            self.init(
                .inputOutput, operation: operation, place: path,
                cause: "the path contains a symbolic link of \(Account.user(owner))",
                hint: "name the directory that it points to; the owner of the link could point it elsewhere")
        case .others(let owner, let directory):
            let who = owner == 0 ? "others" : Account.user(owner)
            let account = owner == 0 ? nil : Account.name(of: owner)
            self.init(
                .inputOutput, operation: operation, place: path,
                cause: "\(who) can write to \(directory ?? "it"), and pruned works as root",
                hint:
                    "whoever can write there could replace the store: run pruned as its owner"
                    + (account.map { " (sudo -u \($0) pruned ...)" } ?? "")
                    + ", or let the state directory belong to that user: root then works as its owner")
        }
    }
}
