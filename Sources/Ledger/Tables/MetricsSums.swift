import Pruning

/// The sums over all runs, and the file of metrics that tells them.
extension LedgerTables {
    /// Nil before any run.
    package func metrics() throws -> Metrics? { try document(.metrics) }

    /// Changes the sums by `body`, and replaces `file` by what `render` makes of them, while no other process can: no counter
    /// goes back. Returns why the file could not be written; the sums are changed all the same.
    package func updateMetrics(
        in file: MetricsFile, _ body: (inout Metrics) -> Void, render: (Metrics) throws -> MetricsText
    ) throws -> StoreError? {
        let before = try metrics()
        var metrics = before ?? Metrics()
        body(&metrics)
        metrics.file = file.path
        if metrics != before { try setDocument(.metrics, metrics) }
        let text = try render(metrics).description
        do throws(StoreError) { try file.write(text) } catch { return error }
        return nil
    }

    /// Remembers that the configuration was refused, and says so in the file that was written last: the one that would be written
    /// now stands in what cannot be read.
    package func tellRefusal(stateDirectory: String) throws {
        guard var metrics = try metrics(), let path = metrics.file else { return }
        if metrics.isConfigurationInForce != false {
            metrics.isConfigurationInForce = false
            try setDocument(.metrics, metrics)
        }
        MetricsFile(path: path, stateDirectory: stateDirectory).tellRefusal()
    }
}
