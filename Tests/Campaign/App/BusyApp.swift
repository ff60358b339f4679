/// An app with all that it does to its database, as a case drives it.
protocol BusyApp: AnyObject {
    /// What its database throws.
    associatedtype Failure: Error

    var app: RandomApp { get set }
    /// Where the database is, in pruned's configuration.
    var store: String { get }
    /// How many transactions of others it has seen between its own; 0 where it cannot see them.
    var commitsSeen: Int { get }
    /// How often it has done something by which a run may end.
    var disturbances: Int { get }
    /// Whether the schema is one that the rule does not fit.
    var isMigrating: Bool { get }
    /// How a run may then end.
    static var disturbed: [Int32] { get }
    /// What a batch may take. A rule fails where all batches take longer, as they do on a machine that is busy enough.
    static var lockTimes: [String] { get }

    /// One transaction, or something else that an app does.
    func act() throws
    /// Inserts rows.
    func arrive(_ count: Int) throws
    func compare() throws
    /// Ends what is open, so that the rule fits.
    func settle() throws
    /// What the database says is damaged.
    func health() throws -> [String]
}
