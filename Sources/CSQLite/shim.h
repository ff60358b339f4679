#include <sqlite3.h>

/* sqlite3_config and sqlite3_db_config are variadic, and such functions do not come to Swift. */
static inline int sqlite3_config_int(int option, int value) {
    return sqlite3_config(option, value);
}

static inline int sqlite3_db_config_int(sqlite3 *db, int option, int value) {
    return sqlite3_db_config(db, option, value, (void *)0);
}
