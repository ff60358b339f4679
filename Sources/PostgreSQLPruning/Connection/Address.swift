import CPostgreSQL
import Glibc
import Pruning

/// Where a server is, for libpq: the text of the configuration, and what is added to it.
struct Address {
    /// A connection string or URI, perhaps with a password.
    let text: String
    /// The same for people: without the password.
    let place: String
    /// How the connection names itself to the server.
    private(set) var application = "pruned"

    init(text: String, place: String) { (self.text, self.place) = (text, place) }

    /// This address for a connection that names itself so, as far as the server keeps names.
    func named(_ application: String) -> Address {
        var named = self
        named.application = String(application.prefix(63))
        return named
    }

    /// The parameters of a connection. The text's own go over the defaults.
    func parameters(_ library: libpq) throws(StoreError) -> [(name: String, value: String)] {
        let given = try parsed(library)
        var defaults = [
            ("application_name", application), ("client_encoding", "UTF8"), ("connect_timeout", "5"),
            // A peer that is gone without a word is found out within half a minute.
            ("keepalives_idle", "10"), ("keepalives_interval", "5"), ("keepalives_count", "3"),
            ("tcp_user_timeout", "30000"),
        ]
        let isOfSeveral = given["host"]?.contains(",") ?? given["hostaddr"]?.contains(",") ?? false
        if isOfSeveral, given["service"] == nil, getenv("PGTARGETSESSIONATTRS") == nil {
            defaults.append(("target_session_attrs", "primary"))
        }
        return defaults + [("dbname", text)]
    }

    /// What the text sets. Throws if libpq does not understand it; its message could repeat a password.
    func parsed(_ library: libpq) throws(StoreError) -> [String: String] {
        var message: UnsafeMutablePointer<CChar>?
        guard let options = library.PQconninfoParse(text, &message) else {
            library.PQfreemem(message)
            throw StoreError(
                .schema, operation: "connect", place: place,
                cause: "url is no connection string that libpq understands",
                hint:
                    "postgresql://USER@HOST/DATABASE, or host=... dbname=... user=...; blanks and / @ : in a value need"
                    + " quotes or a percent sign",
                setting: nil)
        }
        return library.settings(taking: options)
    }
}
