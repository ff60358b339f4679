// swift-tools-version: 6.2

import PackageDescription

let strict: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
]

let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let grdbSQLite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let argumentParser: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")

func library(
    _ name: String, _ dependencies: [Target.Dependency] = [], documents: [String] = []
) -> Target {
    .target(name: name, dependencies: dependencies, exclude: documents, swiftSettings: strict)
}

func program(_ name: String, _ dependencies: [Target.Dependency], documents: [String] = []) -> Target {
    .executableTarget(name: name, dependencies: dependencies, exclude: documents, swiftSettings: strict)
}

func tests(_ name: String, _ dependencies: [Target.Dependency]) -> Target {
    .testTarget(
        name: name, dependencies: dependencies + ["TestSupport"],
        swiftSettings: strict)
}

let package = Package(
    name: "pruned",
    products: [
        .library(name: "ReaderStore", targets: ["DefaultStore", "ReaderStore", "FeedLoading"]),
        .executable(name: "pruned", targets: ["pruned"]),
        .executable(name: "reader", targets: ["reader"]),
        .library(name: "Faults", type: .dynamic, targets: ["Faults"]),
        .library(name: "SetClock", type: .dynamic, targets: ["SetClock"]),
    ],
    dependencies: [
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-log", from: "1.16.2"),
    ],
    targets: [
        .systemLibrary(name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLibCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        library("Systemd", ["CSystemd", "TerminalText", logging]),
        library("Retention", ["TerminalText"]),
        .target(name: "CTOML"),
        .target(name: "CMariaDB"),
        .target(name: "CPostgreSQL"),
        .target(name: "CProcess"),
        library("PolicyFile", ["CTOML", "Retention", "TerminalText"]),
        library("DefaultStore", ["CProcess", "CSQLite"]),
        library(
            "ReaderStore", ["DefaultStore", "TerminalText", grdb, grdbSQLite], documents: ["README.md"]),
        library("FeedLoading", ["CLibCurl", "CLibXML2", "ReaderStore"]),
        library("Pruning", ["Retention", "TerminalText"]),
        library("TerminalText"),
        library("Conditions", ["TerminalText"]),
        library("RuleEngine", ["Conditions", "Pruning", "Retention", "TerminalText"]),
        library("SQLite", ["CSQLite", "TerminalText"]),
        library("Archive", ["Pruning", "Retention", "SQLite", "TerminalText"]),
        library("Ledger", ["CSQLite", "Pruning", "Retention", "SQLite", "TerminalText"]),
        library(
            "SQLitePruning",
            [
                "Archive", "Conditions", "CSQLite", "Pruning", "Retention", "RuleEngine", "SQLite",
                "TerminalText",
            ]),
        library(
            "PostgreSQLPruning",
            ["Archive", "Conditions", "CPostgreSQL", "Pruning", "Retention", "RuleEngine", "TerminalText"]),
        library(
            "MariaDBPruning",
            ["Archive", "CMariaDB", "Conditions", "Pruning", "Retention", "RuleEngine", "TerminalText"]),
        program(
            "pruned",
            [
                "Archive", "CProcess", "DefaultStore", "Ledger", "MariaDBPruning", "PolicyFile",
                "PostgreSQLPruning", "Pruning",
                "Retention", "SQLite", "SQLitePruning", "Systemd", "TerminalText", argumentParser, logging,
            ]),
        program(
            "reader", ["FeedLoading", "ReaderStore", "TerminalText", argumentParser, grdb],
            documents: ["README.md"]),
        .target(
            name: "TestSupport",
            dependencies: ["CSpawning", "Ledger", "PolicyFile", "Pruning", "Retention", "Systemd", grdb],
            path: "Tests/Support", exclude: ["Programs/CSpawning"], swiftSettings: strict),
        .target(name: "CSpawning", path: "Tests/Support/Programs/CSpawning"),
        .executableTarget(
            name: "PruneBenchmark",
            dependencies: ["ReaderStore", "TestSupport", argumentParser, grdb, grdbSQLite],
            path: "Tests/Benchmark", exclude: ["RESULTS.md"], swiftSettings: strict),
        tests("RetentionTests", ["Retention"]),
        tests("PolicyFileTests", ["PolicyFile", "Retention"]),
        tests("SystemdTests", ["Systemd", "CSystemd", logging]),
        tests("ReaderStoreTests", ["ReaderStore", "reader", grdb]),
        tests("FeedLoadingTests", ["FeedLoading", "ReaderStore"]),
        tests("LedgerTests", ["Ledger", "Pruning", "Retention", "SQLite", "SQLitePruning"]),
        tests("ArchiveTests", ["Archive"]),
        tests("RuleEngineTests", ["Conditions", "Pruning", "Retention", "RuleEngine"]),
        tests("PruningTests", ["Ledger", "Pruning", "Retention", "SQLitePruning", "TerminalText"]),
        tests(
            "SQLitePruningTests",
            [
                "RuleEngine", "SQLitePruning", "SQLite", "CSQLite", "Ledger", "Pruning", "Retention",
                "TerminalText", grdb,
            ]),
        tests(
            "PostgreSQLPruningTests",
            [
                "PostgreSQLPruning", "RuleEngine", "CPostgreSQL", "Ledger", "Pruning", "Retention",
                "SQLitePruning",
                "TerminalText",
            ]
        ),
        tests(
            "MariaDBPruningTests",
            [
                "Archive", "MariaDBPruning", "Pruning", "Retention", "RuleEngine", "SQLitePruning",
                "TerminalText",
            ]),
        tests("TerminalTextTests", ["TerminalText"]),
        tests("PruneBenchmarkTests", ["PruneBenchmark", grdb]),
        .testTarget(
            name: "Conformance",
            dependencies: [
                "MariaDBPruning", "PolicyFile", "PostgreSQLPruning", "Pruning", "Retention", "SQLitePruning",
                "TestSupport", grdb,
            ], exclude: ["cases"], swiftSettings: strict),
        tests(
            "ConditionsTests",
            ["Conditions", "MariaDBPruning", "PostgreSQLPruning", "Pruning", "SQLite", "SQLitePruning"]),
        tests("TestSupportTests", []),
        tests("EndToEnd", []),
        .target(name: "Faults", path: "Tests/Campaign/Faults", publicHeadersPath: "include"),
        .executableTarget(name: "RecordedDisk", path: "Tests/Campaign/Power/Disk"),
        .target(name: "SetClock", path: "Tests/Campaign/Time/SetClock", publicHeadersPath: "include"),
        .target(name: "CCampaign", path: "Tests/Campaign/CCampaign"),
        .target(name: "CTracing", path: "Tests/Campaign/Neighbours/Tracing"),
        .executableTarget(
            name: "Campaign",
            dependencies: [
                "CCampaign", "CMariaDB", "CPostgreSQL", "CSQLite", "CTracing", "Retention", "TestSupport",
                argumentParser,
            ],
            path: "Tests/Campaign",
            exclude: [
                "CCampaign", "Faults", "Mistakes", "Neighbours/Tracing", "Power/Disk", "RESULTS.md",
                "Time/SetClock",
            ],
            swiftSettings: strict),
        .testTarget(
            name: "Service", dependencies: ["TestSupport"], exclude: ["container.sh"], swiftSettings: strict),
    ],
    cxxLanguageStandard: .cxx17
)
