import Glibc
import Retention

extension Configuration {
    /// What a person should know of the passwords in `file`: who else can read them. `user` is the user that the program
    /// works as; nil if the files are only examined. `way` is the command that lets only that user read it, if known.
    package func passwordRemarks(on file: String, user: uid_t?, way: String? = nil) -> [String] {
        let stores = stores(withPasswordIn: file)
        var status = stat()
        guard !stores.isEmpty, stat(file, &status) == 0,
            let readers = FileTrust(user: user).readers(status, file)
        else { return [] }
        let mode = "0" + String(status.st_mode & 0o7777, radix: 8)
        let isOpen = status.st_mode & S_IROTH != 0
        let closing = isOpen ? way.map { "`\($0)`, or " } ?? "" : ""
        return stores.map { store in
            "the url of store \(store.name) has a password, and \(readers) can read \(file) (mode \(mode));"
                + " \(closing)use .pgpass, a service file or LoadCredential="
        }
    }

    /// Whether a url in `file` has a password.
    package func hasPassword(in file: String) -> Bool { !stores(withPasswordIn: file).isEmpty }

    private func stores(withPasswordIn file: String) -> [StoreDefinition] {
        template.stores.filter { store in
            guard let connection = store.kind.connection, connection.hasPassword else { return false }
            let url = ["store", store.name.description, StoreKey.url.rawValue]
            return origins.origin(of: url)?.file == file
        }
    }
}
