/// The names of the units that run this program.
enum UnitName {
    static let daemon = "pruned.service"
    static let run = "pruned-run.service"
    /// What starts ``run``.
    static let timer = "pruned-run.timer"
}
