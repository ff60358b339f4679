#include <sqlite3.h>

/* sqlite3_config is variadic, and such functions do not come to Swift. */
static inline int sqlite3_config_int(int option, int value) {
    return sqlite3_config(option, value);
}
