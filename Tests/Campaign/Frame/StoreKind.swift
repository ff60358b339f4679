/// What a store is kept by.
enum StoreKind {
    case file, postgreSQL, mariaDB
}
