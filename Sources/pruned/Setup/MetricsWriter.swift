import FoundationEssentials
import Ledger
import Logging
import PolicyFile
import Pruning
import Retention
import Synchronization

/// Writes the metrics file. If that fails, it logs the error once, and does not stop anything.
final class MetricsWriter: Sendable {
    private let file: MetricsFile
    private let policy: RetentionPolicy
    private let stores: StoreSet
    private let ledger: Ledger
    private let logger: Logger
    private let trouble = Mutex<String?>(nil)

    /// Nil when the configuration asks for no metrics.
    init?(_ configuration: Configuration, stores: StoreSet, setup: Setup) {
        guard let path = configuration.metricsFile else { return nil }
        file = MetricsFile(path: path, stateDirectory: setup.stateDirectory)
        policy = configuration.policy
        self.stores = stores
        ledger = setup.ledger
        logger = setup.logger
    }

    /// Logs which metrics file is no longer written according to `configuration`, since its values become stale.
    static func sayAbandoned(
        by configuration: Configuration, ledger: Ledger, _ logger: Logger
    ) {
        let path = configuration.metricsFile
        guard let old = ledger.abandonedMetrics(for: path) else { return }
        logger.notice(
            "the metrics in \(old) are no longer updated: \(path.map { "metrics_file is \($0) now" } ?? "no metrics_file is set")",
            metadata: ["hint": "remove that file; Prometheus reads its last values until then"])
    }

    /// Measures the stores of a run that has just ended. Reports progress to the run's `control`.
    func measure(_ report: PruneReport, _ batches: BatchLockTimes, _ control: RunControl) -> Measurements {
        Measurements(
            of: report, batches, by: policy,
            asking: { stores.answers(to: $0.mapValues { .measures(of: $0) }, control) })
    }

    /// Adds a run to the metrics, in the transaction that records it. `isAlone` says that no service runs, which would
    /// otherwise report whether the configuration is in force.
    func add(
        _ report: PruneReport, _ measured: Measurements, isAlone: Bool = false, to tables: LedgerTables
    ) throws {
        try update(tables) {
            $0.add(report, measured)
            if isAlone { $0.isConfigurationInForce = true }
        }
    }

    /// Writes the file with the current figures, so that it exists before the first run. `isConfigurationInForce` says
    /// whether the configuration that was last read is in force; nil leaves that unchanged.
    func show(isConfigurationInForce: Bool?) {
        do throws(StoreError) {
            try ledger.write("remember the metrics") { tables in
                try update(tables) {
                    if let isConfigurationInForce { $0.isConfigurationInForce = isConfigurationInForce }
                }
            }
        } catch {
            say(error)
        }
    }

    /// Why the file could not be written; nil when it was.
    var obstacle: String? { trouble.withLock { $0 } }

    private func update(_ tables: LedgerTables, _ body: (inout Metrics) -> Void) throws {
        let trouble = try tables.updateMetrics(in: file, body) { MetricsText($0, try context(tables)) }
        guard let trouble else { return self.trouble.withLock { $0 = nil } }
        say(trouble)
    }

    private func say(_ error: StoreError) {
        let isNew = trouble.withLock { trouble in
            defer { trouble = error.cause }
            return trouble != error.cause
        }
        if isNew { logger.error(error) }
    }

    private func context(_ tables: LedgerTables) throws -> MetricsText.Context {
        try MetricsText.Context(
            rules: policy.rules, stores: stores.byName.values.map(\.definition).sorted { $0.name < $1.name },
            archiveLimit: policy.archiveLimit.size,
            lastRuns: tables.lastDates(of: policy.rules, at: stores.places),
            version: Version.current, now: SystemTime.now)
    }
}
