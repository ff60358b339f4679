import GRDB
import ReaderStore

extension StoreRecipe.Schema {
    /// A connection as an app of this schema has.
    func open(at path: String) throws -> DatabaseQueue {
        switch self {
        case .reader: return try ReaderStore.open(at: path)
        case .usual:
            var configuration = Configuration()
            configuration.busyMode = .timeout(5)
            configuration.prepareDatabase { try $0.execute(sql: "PRAGMA synchronous = NORMAL") }
            return try DatabaseQueue(path: path, configuration: configuration)
        }
    }
}
