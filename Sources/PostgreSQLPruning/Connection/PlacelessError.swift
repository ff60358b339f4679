import Pruning

/// An error of work on a connection that becomes one of the store when the operation and the place are known.
protocol PlacelessError: Error {
    func error(of operation: String, place: String) -> StoreError
}
