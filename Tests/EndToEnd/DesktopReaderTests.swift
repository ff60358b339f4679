import Foundation
import Testing

/// Debian's reading apps with windows, on databases of their own that a preset has pruned.
@Suite(.serialized) struct DesktopReaderTests {
    private static let feeds = ["alpha", "beta"]

    /// An app that has fetched articles 1 to 20 of each feed, all of which were read, alpha 2 was starred and alpha 3
    /// labelled; its store's preset; and the feeds.
    private func filled(
        _ app: DesktopReader.App
    ) throws -> (reader: DesktopReader, prepared: ConfiguredStore, server: FeedServer) {
        let server = try FeedServer()
        let reader = try DesktopReader(app, on: VirtualDisplay())
        try reader.subscribe(to: server, Self.feeds)
        try reader.refresh(server, Self.feeds, newest: 20)
        try reader.store.query(reader.reading)
        return (reader, try ConfiguredStore(reader.preset, at: reader.store.path), server)
    }

    @Test(
        "an app starts again on its pruned database, fetches, and nothing that was read is unread again",
        arguments: DesktopReader.App.allCases)
    func startedAgain(app: DesktopReader.App) throws {
        var (reader, prepared, server) = try filled(app)
        let before = try reader.shown()
        #expect(before.count == 40)
        let suggested = try prepared.suggest()
        #expect(suggested.output.contains("preset = \"\(reader.preset)\""), "\(suggested)")

        // What Liferea deletes comes back as long as its feed lists it.
        let listed = app == .liferea ? 9...21 : 1...21
        let run = try prepared.run(rule: app == .liferea ? "keep_last = 12" : "")
        #expect(run.status == 0, "\(run)")
        let gone = (1...listed.lowerBound - 1 + (app == .liferea ? 0 : 11)).flatMap { number in
            Self.feeds.map { "\($0) \(number)" }
        }.filter { $0 != "alpha 2" && ($0 != "alpha 3" || app == .liferea) }
        #expect(try run.report()[ConfiguredStore.rule]?.deleted == gone.count, "\(run)")
        #expect(try reader.shown() == before.subtracting(gone))
        #expect(try reader.store.health() == "ok")

        server.list(listed)
        try reader.refresh(server, Self.feeds, newest: 21)
        #expect(try reader.shown() == before.subtracting(gone).union(["alpha 21", "beta 21"]))
        #expect(try reader.unread() == ["alpha 21", "beta 21"])

        let second = try prepared.run(rule: app == .liferea ? "keep_last = 12" : "")
        #expect(second.status == 0, "\(second)")
        #expect(try second.report()[ConfiguredStore.rule]?.cameBack == (app == .liferea ? nil : 0))

        // As most people have it: read into memory and written back.
        guard app == .quiteRSS else { return }
        reader.isInMemory = true
        try reader.startAndEnd(asking: server, for: "beta")
        #expect(try reader.shown() == before.subtracting(gone).union(["alpha 21", "beta 21"]))
        #expect(try reader.unread() == ["alpha 21", "beta 21"])
    }

    @Test(
        "QuiteRSS writes its memory over what was pruned while it ran: nothing is lost, and the next run does it again"
    )
    func savedOver() throws {
        var (reader, prepared, server) = try filled(.quiteRSS)
        reader.isInMemory = true
        let before = try reader.shown()
        try reader.startAndEnd(asking: server, for: "beta") { () throws in
            #expect(try prepared.run().checked().report()[ConfiguredStore.rule]?.deleted == 20)
            #expect(try reader.shown().count == 20)
        }
        #expect(try reader.shown() == before)
        let again = try prepared.run().checked().report()[ConfiguredStore.rule]
        #expect(again?.deleted == 20 && again?.cameBack == 20)
        #expect(try reader.shown().count == 20)
    }
}
