import Retention
import TerminalText

extension StoreDefinition.Kind {
    /// The setting that says where a proposed store is, without secrets.
    var setting: String { setting(width: 0) }

    func setting(width: Int) -> String {
        switch self {
        case .sqlite(let path): "path".padded(to: width) + " = \(path.quoted)"
        case .postgresql(let connection), .mariadb(let connection):
            "url".padded(to: width) + " = \(connection.redacted.quoted)"
        }
    }

    /// A comment on the setting; nil if there is nothing to say.
    var remark: String? {
        guard let connection, connection.redacted != connection.text else {
            return nil
        }
        return """
            # *** stands for a password: remove it here, for others read this file. It belongs in a .pgpass file, a
            # service file, or systemd's LoadCredential=; pruned.toml(5) tells how.
            """
    }
}
