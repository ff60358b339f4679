import Pruning

/// What the service says of itself.
extension LedgerTables {
    /// To whoever asks while it runs, and to its next start; nil when none has said anything.
    package func serviceRecord() throws -> ServiceRecord? { try document(.service) }

    /// Takes the place of what was said before.
    package func setServiceRecord(_ record: ServiceRecord) throws { try setDocument(.service, record) }

    /// What it answered when it was last told to read its configuration again.
    package func reloadAnswer() throws -> ReloadAnswer? { try document(.reload) }

    /// Nil takes the last answer away: its clock may be that of an earlier boot, and later than any time of this one.
    package func setReloadAnswer(_ answer: ReloadAnswer?) throws { try setDocument(.reload, answer) }

}
