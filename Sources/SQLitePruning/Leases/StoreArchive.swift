import Pruning
import Retention

/// The archive as one store uses it.
struct StoreArchive: Sendable {
    let archive: any RowArchive
    let store: Name
}
