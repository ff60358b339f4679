import Pruning
import Testing

@testable import MariaDBPruning

@Suite("What an error of the server means for a run")
struct ServerFailureTests {
    private static let kinds: [(codes: [UInt32], kind: StoreErrorKind)] = [
        ([1_205, 1_213, 1_040, 1_203, 1_226, 1_290, 1_792, 1_836], .busy),
        ([1_969], .tooSlow),
        ([1_021, 1_114], .full),
        ([1_038, 1_153, 1_206], .tooLarge),
        ([1_053, 1_317, 1_927, 2_002, 2_003, 2_006, 2_013, 2_026], .inputOutput),
        ([1_034, 1_035, 1_194, 1_195, 1_712], .damaged),
        ([1_044, 1_045, 1_049, 1_054, 1_142, 1_143, 1_146, 1_227, 1_305, 1_370, 1_698], .schema),
        ([1_048, 1_062, 1_451, 1_452, 4_025], .unsafe),
        ([1_665], .unsupported),
        ([0, 1_064, 1_644, 3_000], .other),
    ]

    private func error(_ code: UInt32, _ message: String = "") -> ServerError {
        ServerError(code: code, state: "HY000", message: message, isConnectionLost: false)
    }

    @Test("a code decides what a run does", arguments: kinds)
    func kind(codes: [UInt32], kind: StoreErrorKind) {
        for code in codes { #expect(ServerFailure.kind(of: error(code)) == kind, "\(code)") }
    }

    @Test("what the server says is told with its code, and what a trigger raises as the app's")
    func causes() {
        let failure = ServerFailure(operation: "apply rule old", place: "the database")
        let locked = failure.meaning(of: error(1_205, "Lock wait timeout exceeded"))
        #expect(locked.cause == "Lock wait timeout exceeded (error 1205)")
        #expect(locked.operation == "apply rule old" && locked.place == "the database")
        let raised = failure.meaning(of: error(1_644, "not that one"))
        #expect(raised.cause == "a trigger of the app refuses it: not that one")
        #expect(raised.hint == StoreHint.refusingTrigger)
    }

    @Test(
        "who lacks a right is told where all of them stand",
        arguments: [1_044, 1_045, 1_142, 1_143, 1_227, 1_370])
    func rights(code: UInt32) {
        let meaning = ServerFailure(operation: "connect", place: "the database").meaning(of: error(code))
        #expect(meaning.hint?.contains("pruned-mariadb(7)") == true)
    }

    @Test("an error that has its meaning already keeps it")
    func known() {
        let known = StoreError(.full, operation: "archive", place: "/archive", cause: "no room")
        let meaning = ServerFailure(operation: "delete", place: "the database").meaning(of: known)
        #expect(meaning.kind == .full && meaning.operation == "archive" && meaning.place == "/archive")
    }
}
