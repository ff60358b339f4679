import Dispatch
import Glibc
import PolicyFile
import Pruning
import Retention

/// Looks for the stores of the families of a configuration, each in a process of its own.
struct FamilySearch {
    let stateDirectory: String

    /// How long a look may take. A store that is found later is one at the next look.
    private static let longest = Duration.seconds(6)

    /// The configuration with the stores that are there now. Where nothing can be looked for, with those of before.
    func expanded(_ configuration: Configuration) -> Configuration {
        guard !configuration.families.isEmpty else { return configuration }
        let control = RunControl(monotonic: SystemTime.monotonic)
        DispatchQueue(label: "pruned.families").asyncAfter(deadline: .now() + Self.longest.seconds) {
            control.requestStop("there is no time")
        }
        let families = configuration.families
        let told = WorkerPlaces(workers: configuration.policy.workers).map(families, SystemTime.monotonic) {
            family in
            look(for: family, of: configuration, control)
        }
        let found = Dictionary(uniqueKeysWithValues: zip(families.map(\.name), told))
        let twins = StoreTwins(configuration.template, stateDirectory, configuration.origins)
        return configuration.expanded(by: twins.settled(found))
    }

    private func look(
        for family: StoreDefinition, of configuration: Configuration, _ control: RunControl
    ) -> FoundStores {
        let place = StoreJob.Place(
            family.absolute(in: stateDirectory), holder: "pruned", process: getpid())
        do throws(StoreError) {
            var found = try WorkerProcess.answer(
                to: StoreJob(.members, at: place), of: family.name, control, as: FoundStores.self)
            if let parts = family.family, parts.placeholder != nil {
                let rules = configuration.template.rules.filter { $0.store == family.name }
                found.members = parts.members(among: found.members, by: rules)
            }
            return found
        } catch {
            return FoundStores(
                members: configuration.found[family.name]?.members ?? [], failure: error.reason)
        }
    }
}

extension Configuration {
    /// Which families have no store, and what matches and is none.
    var familyRemarks: [String] {
        families.flatMap { family -> [String] in
            let found = found[family.name] ?? FoundStores()
            let none =
                found.members.isEmpty && found.failure == nil ? ["nothing matches \(family.familyText)"] : []
            return (none + found.refused + [found.failure].compactMap(\.self)).map {
                "\(family.name)/*: \($0)"
            }
        }
    }
}

extension StoreDefinition {
    /// What the stores of the family are found by.
    var familyText: String {
        switch family {
        case .prefixes(let pattern), .schemas(let pattern): "\(pattern) in \(place)"
        case .paths, nil: place
        }
    }
}
