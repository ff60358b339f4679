import Pruning
import Testing

@testable import PostgreSQLPruning

@Suite("What an error of the server means for a run")
struct ServerFailureTests {
    @Test(
        "A code decides what a run does",
        arguments: [
            ("55P03", StoreErrorKind.busy), ("40P01", .busy), ("57P03", .busy), ("53100", .full),
            ("57014", .tooSlow), ("42501", .schema), ("42P01", .schema), ("XX001", .damaged),
            ("57P01", .inputOutput), ("23503", .unsafe), ("22012", .other),
        ])
    func kinds(code: String, kind: StoreErrorKind) {
        #expect(ServerFailure.kind(of: ServerError(code: code, message: "")) == kind)
    }

    @Test("What a trigger of the app says is told as such, with its function")
    func refusingTrigger() {
        let error = ServerError(
            code: SQLState.raisedException, message: "not that one",
            context: "PL/pgSQL function guard() line 1 at RAISE\nSQL statement")
        let meaning = ServerFailure(operation: "apply rule old", place: "the database").meaning(of: error)
        #expect(
            meaning.cause
                == "a trigger of the app refuses it: not that one (PL/pgSQL function guard() line 1 at RAISE)"
        )
    }
}
