/// All parts of the campaign, in the order in which they run.
enum Parts {
    static let all: [any Part.Type] = [
        WriteFaults.self, AllocationFaults.self, DamagedStores.self, RandomConfigurations.self,
        RandomRules.self, RandomServerRules<PostgreSQLKind>.self, RandomServerRules<MariaDBKind>.self,
        TimeZones.self, ClockSteps.self, AppBeside.self, ServerAppBeside<PostgreSQLKind>.self,
        ServerAppBeside<MariaDBKind>.self, CutConnections.self, HostileNeighbours.self, PowerCuts.self,
        BusyService.self,
    ]
}
