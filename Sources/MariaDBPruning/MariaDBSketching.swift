import Pruning
import Retention

/// A look at a MariaDB database without rules. Nothing is proposed for one so far.
package struct MariaDBSketching: StoreSketching {
    private let place: String

    package init(place: String) { self.place = place }

    /// The names of the tables of the database at `url`.
    package static func tableNames(url: String, place: String, _ control: RunControl) throws(StoreError)
        -> [String]
    {
        let connection = try Connection(Address(text: url, place: place), control)
        defer { connection.close() }
        return try connection.perform("look for stores") {
            try connection.snapshot {
                try connection.query(
                    "SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE = 'BASE TABLE'"
                ).rows.compactMap(\.[0])
            }
        }
    }

    private var refusal: StoreError {
        StoreError(
            .unsupported, operation: "propose a rule", place: place,
            cause: "nothing is proposed for MariaDB databases",
            hint: "`pruned presets` lists the apps that are known; pruned.toml(5) says what a rule needs")
    }

    package func take() throws(StoreError) -> StoreSketch { throw refusal }
    package func count(_ questions: [KeyQuestion]) throws(StoreError) -> [Int?] { throw refusal }
    package func fit(_ gates: [GatedRules]) throws(StoreError) -> [GateFit] { throw refusal }
}
