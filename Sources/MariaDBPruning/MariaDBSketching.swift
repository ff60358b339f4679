import Pruning
import Retention

/// A look at a MariaDB database without rules. Nothing is proposed for one so far.
package struct MariaDBSketching: StoreSketching {
    private let place: String

    package init(place: String) { self.place = place }

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
