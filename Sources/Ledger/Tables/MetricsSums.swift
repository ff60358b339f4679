import Pruning

/// The sums over all runs, and the metrics file that shows them.
extension LedgerTables {
    /// Nil before the first run.
    package func metrics() throws -> Metrics? { try document(.metrics) }

    /// Changes the sums with `body`, and replaces `file` by the text that `render` makes of them. No other process can
    /// do so meanwhile, so no counter decreases. Returns why the file could not be written; the sums are changed in any
    /// case.
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

    /// Records that the configuration was refused, also in the last metrics file. The path of the current file is in
    /// the configuration that cannot be read.
    package func tellRefusal(stateDirectory: String) throws {
        guard var metrics = try metrics(), let path = metrics.file else { return }
        if metrics.isConfigurationInForce != false {
            metrics.isConfigurationInForce = false
            try setDocument(.metrics, metrics)
        }
        MetricsFile(path: path, stateDirectory: stateDirectory).tellRefusal()
    }
}
