import Pruning
import Testing

@testable import MariaDBPruning

@Suite("Where a database is")
struct AddressTests {
    struct Parts: Equatable {
        var user: String?
        var password: String?
        var host: String?
        var port: UInt32 = 0
        var database = "app"
        var socket: String?
    }

    private static let readings: [(text: String, parts: Parts)] = [
        ("mariadb:///app", Parts()),
        ("mariadb://db.example.org/app", Parts(host: "db.example.org")),
        ("mariadb://db.example.org:3307/app", Parts(host: "db.example.org", port: 3_307)),
        ("mariadb://pruned@db/app", Parts(user: "pruned", host: "db")),
        ("mariadb://pruned:secret@db/app", Parts(user: "pruned", password: "secret", host: "db")),
        ("mariadb://pruned:@db/app", Parts(user: "pruned", host: "db")),
        (
            "mariadb://pr%3Auned:s%40cr%3Ae%2Ft%3F@db:1/app",
            Parts(user: "pr:uned", password: "s@cr:e/t?", host: "db", port: 1)
        ),
        ("mariadb://pruned:a:b@db/app", Parts(user: "pruned", password: "a:b", host: "db")),
        ("mariadb://[::1]/app", Parts(host: "::1")),
        (
            "mariadb://pruned@[fe80::1%25eth0]:3307/app",
            Parts(user: "pruned", host: "fe80::1%eth0", port: 3_307)
        ),
        ("mariadb:///app?socket=/run/mysqld/mysqld.sock", Parts(socket: "/run/mysqld/mysqld.sock")),
        ("mariadb:///app?socket=%2Frun%2Fa%20b", Parts(socket: "/run/a b")),
        ("mariadb:///app?socket=/run/a=b", Parts(socket: "/run/a=b")),
        ("mariadb:///%C3%A4%2Fb%25", Parts(database: "ä/b%")),
        ("mariadb:///100%", Parts(database: "100%")),
    ]

    @Test("a text names user, password, host, port, database and socket", arguments: readings)
    func reading(text: String, parts: Parts) throws {
        let address = try Address(text: text, place: "here")
        let read = Parts(
            user: address.user, password: address.password, host: address.host, port: address.port,
            database: address.database, socket: address.socket)
        #expect(read == parts)
        #expect(address.place == "here")
    }

    @Test(
        "a text without a database, or with a setting that means nothing, is refused",
        arguments: [
            ("mariadb://", "url names no database"), ("mariadb://db", "url names no database"),
            ("mariadb://db/", "url names no database"), ("mariadb:///?socket=/s", "url names no database"),
            ("mariadb:///app?ssl=1", "url has a setting other than socket"),
            ("mariadb:///app?socket", "url has a setting other than socket"),
            ("mariadb:///app?socket=/s&user=root", "url has a setting other than socket"),
            ("mariadb:///app?sockets=/s", "url has a setting other than socket"),
        ])
    func refused(text: String, cause: String) {
        let error = #expect(throws: StoreError.self) { try Address(text: text, place: "here") }
        #expect(error?.kind == .schema && error?.cause == cause && error?.hint != nil)
    }
}
