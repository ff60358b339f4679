import TestSupport
import Foundation

/// A package outside the tree, of one program, that depends on the checkout by its path.
struct ExamplePackage {
    private let sandbox: Sandbox
    private let checkout: URL

    /// `source` is the program's only file.
    init(source: String, checkout: URL) throws {
        sandbox = try Sandbox()
        self.checkout = checkout
        // A package is known by the name of its directory.
        try sandbox.write(
            "Package.swift",
            """
            // swift-tools-version: 6.2
            import PackageDescription

            let package = Package(
                name: "example",
                dependencies: [.package(path: "\(checkout.path)")],
                targets: [
                    .executableTarget(
                        name: "example",
                        dependencies: [.product(name: "ReaderStore", package: "\(checkout.lastPathComponent)")],
                        path: ".", exclude: ["build"], sources: ["main.swift"],
                        swiftSettings: [.swiftLanguageMode(.v6), .treatAllWarnings(as: .error)])
                ])
            """)
        try sandbox.write("main.swift", source)
        try takeOverDependencies()
    }

    /// Lets the build find what the checkout's own build has: the same versions, and no network needed.
    private func takeOverDependencies() throws {
        let build = try sandbox.makeDirectory("build")
        for (name, directory) in [
            (".build/repositories", build), (".build/checkouts", build),
            (".build/workspace-state.json", build),
            ("Package.resolved", sandbox.path),
        ] {
            let source = checkout.appending(path: name).path
            guard access(source, F_OK) == 0 else { continue }
            try Program(path: "cp", arguments: ["-a", source, directory]).run().checked()
        }
    }

    /// Builds it, for as long as that takes on a slow machine, and runs it with these arguments.
    func run(_ arguments: String...) throws -> EndedProgram {
        var swift = Program(path: "swift")
        swift.environment = ProcessInfo.processInfo.environment
        let place = ["--package-path", sandbox.path, "--scratch-path", sandbox.path + "/build"]
        swift.arguments = ["build"] + place
        try swift.run(seconds: 1_200).checked()
        swift.arguments = ["build", "--show-bin-path"] + place
        let programs = try swift.run().checked().output.trimmingCharacters(in: .newlines)
        return try Program(path: programs + "/example", arguments: arguments).run()
    }
}
