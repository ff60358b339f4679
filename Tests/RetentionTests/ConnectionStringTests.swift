import Retention
import Testing

/// What may be shown of the place of a PostgreSQL database, and which texts are none.
struct ConnectionStringTests {
    @Test(
        "each secret is masked, and nothing else",
        arguments: [
            ("postgresql://u:p%40ss@h/db", "postgresql://u:***@h/db"),
            ("postgres://u:a:b@h", "postgres://u:***@h"),
            ("postgres://u:a?b@h/db?sslmode=require", "postgres://u:***@h/db?sslmode=require"),
            ("postgresql://:secret@/db", "postgresql://:***@/db"),
            ("postgresql://u:secret@[::1]:5432,h2:5433/db", "postgresql://u:***@[::1]:5432,h2:5433/db"),
            ("postgresql://u:secret@%2Frun%2Fpostgresql/db", "postgresql://u:***@%2Frun%2Fpostgresql/db"),
            (
                "postgresql:///db?password=x&host=/run&sslpassword=y",
                "postgresql:///db?password=***&host=/run&sslpassword=***"
            ),
            ("postgresql:///db?p%61ssword=x", "postgresql:///db?p%61ssword=***"),
            ("postgresql:///db?PASSWORD=x", "postgresql:///db?PASSWORD=***"),
            ("postgresql:///db?password=a@b/c:d", "postgresql:///db?password=***"),
            (
                "postgresql:///db?oauth_client_secret=x&scram_client_key=y",
                "postgresql:///db?oauth_client_secret=***&scram_client_key=***"
            ),
            ("host=h password='a b\\' c' user=u", "host=h password='***' user=u"),
            ("host=h password=a\\ b user=u", "host=h password=*** user=u"),
            ("host=h password=a'b user=u", "host=h password=*** user=u"),
            ("password = 'x'  host = h", "password = '***'  host = h"),
            ("password= user=u", "password= ***"),
            ("password='päß wört\\\\'host=h", "password='***'host=h"),
            ("user=u sslkey=/k sslpassword=\\'", "user=u sslkey=/k sslpassword=***"),
            ("password=a password=b", "password=*** password=***"),
        ])
    func redaction(text: String, shown: String) throws {
        let string = try ConnectionString(text)
        #expect(string.redacted == shown)
        #expect(string.hasPassword)
        #expect(string.text == text)
        #expect(ConnectionString.redacted(text) == shown)
        #expect(try ConnectionString(shown).redacted == shown, "what is shown is a connection string, too")
    }

    @Test(
        "a text without a secret is shown as it is",
        arguments: [
            "postgresql:///miniflux", "postgresql://", "postgres://u@h", "postgresql://u:@h/db",
            "postgresql://h1:1,h2:2/db?target_session_attrs=primary",
            "postgresql:///db?host=/run/postgresql&port=5433", "postgresql:///db?", "service=miniflux",
            "postgresql:///db?user=ada@cloud", "host=/run/postgresql dbname='a b' passfile=/etc/pgpass",
            "password='' host=h", "postgresql:///d%20b?application_name=p%26q",
        ])
    func harmless(text: String) throws {
        let string = try ConnectionString(text)
        #expect(string.redacted == text)
        #expect(!string.hasPassword)
    }

    @Test(
        "what might be a secret is masked: a setting that libpq does not know, a connection string in a connection string",
        arguments: [
            ("host=h pasword=x", "host=h pasword=***"),
            ("postgresql:///db?pass=x", "postgresql:///db?pass=***"),
            ("dbname='postgresql://u:p@h/db'", "dbname='***'"),
            ("dbname='host=h password=x'", "dbname='***'"),
            ("postgresql:///?dbname=postgres%3A//u%3Ap%40h", "postgresql:///?dbname=***"),
        ])
    func doubt(text: String, shown: String) throws {
        let string = try ConnectionString(text)
        #expect(string.redacted == shown)
        #expect(!string.hasPassword)
    }

    @Test(
        "what libpq cannot read, or where a password may end is open, is refused and not shown",
        arguments: [
            ("", "***", "is not a connection string"), (" ", "***", "is not a connection string"),
            ("reader.sqlite", "***", "is not a connection string"),
            ("/var/lib/a=b", "***", "is not a connection string"),
            ("=x", "***", "is not a connection string"),
            ("POSTGRESQL://u:geheim@h", "postgresql://***", "is not a connection string"),
            ("mysql://u:geheim@h/db", "***", "is not a connection string"),
            ("host=h password=a geheim", "***", "is not a connection string"),
            ("host=h password='geheim", "***", "single quote"),
            ("host=h\npassword=geheim", "***", "control character"),
            ("postgresql:///db\0", "postgresql://***", "control character"),
            ("postgres://u:ge@heim@h/db", "postgres://***", "more than one @"),
            ("postgres://u:p@h1,u:geheim@h2/db", "postgres://***", "more than one @"),
            ("postgres://u:ge/heim@h/db", "postgres://***", "port that is not a number"),
            ("postgres://u:12/geheim@h/db", "postgres://***", "an @ behind the host"),
            ("postgres://u:12/geheim?x@h/db", "postgres://***", "other than setting=value"),
            ("postgres://u:geheim%@h/db", "postgres://***", "hexadecimal"),
            ("postgres://u:geheim%00@h/db", "postgres://***", "hexadecimal"),
            ("postgres://u:geheim%+1@h/db", "postgres://***", "hexadecimal"),
            ("postgres://?password=a/geheim&user=b@c", "postgres://***", "an @ behind the host"),
            ("postgresql://[::1/db", "postgresql://***", "[ without an address and a ]"),
            ("postgresql://u:geheim@[]/db", "postgresql://***", "[ without an address and a ]"),
            ("postgresql://[::1]geheim/db", "postgresql://***", "behind a ]"),
            ("postgresql:///db?password", "postgresql://***", "other than setting=value"),
            ("postgresql:///db?password=geheim=x", "postgresql://***", "other than setting=value"),
        ])
    func refusal(text: String, shown: String, reason: String) throws {
        let error = try #require(throws: ConnectionStringError.self) { try ConnectionString(text) }
        #expect(error.reason.contains(reason))
        #expect(!"\(error)".contains("geheim"))
        #expect(ConnectionString.redacted(text) == shown)
    }

    @Test("no way to print the value shows a secret")
    func printing() throws {
        let string = try ConnectionString("postgresql://u:geheim@h/db")
        let store = StoreDefinition(name: "s", kind: .postgresql(string))
        var dumped = ""
        dump(store, to: &dumped)
        for text in [
            "\(string)", String(describing: string), String(reflecting: string), "\(store)",
            String(reflecting: store),
            dumped, String(reflecting: store.kind), "\(Mirror(reflecting: string).children.map(\.value))",
        ] {
            #expect(!text.contains("geheim"))
            #expect(text.contains("***"))
        }
        #expect(store.place == "postgresql://u:***@h/db")
        #expect(store.file == nil)
    }

    @Test("two texts with different passwords are different strings")
    func equality() throws {
        let strings = try ["postgres://u:a@h", "postgres://u:b@h", "postgres://u:a@h"].map(
            ConnectionString.init)
        #expect(Set(strings).count == 2)
        #expect(strings[0] != strings[1] && strings[0] == strings[2])
    }

    @Test(
        "a text is taken for a URI however it is written",
        arguments: [
            ("postgresql://h", true), (" POSTGRES://u:p@h", true), ("reader.sqlite", false),
            ("http://h", false),
        ])
    func likeness(text: String, isURI: Bool) {
        #expect(ConnectionString.isURI(text) == isURI)
    }
}
