#ifndef PRUNED_CMARIADB_H
#define PRUNED_CMARIADB_H

#include <mariadb/mysql.h>

/* The functions of MariaDB Connector/C that are used. */
#define LIBMARIADB_FUNCTIONS(use) \
    use(mysql_init) use(mysql_options) use(mysql_real_connect) use(mysql_close) use(mysql_errno) use(mysql_error) \
    use(mysql_sqlstate) use(mysql_get_socket) use(mysql_thread_id) use(mysql_get_server_info) use(mysql_get_server_version) \
    use(mysql_send_query) use(mysql_read_query_result) use(mysql_field_count) use(mysql_store_result) \
    use(mysql_affected_rows) use(mysql_num_fields) use(mysql_fetch_row) use(mysql_fetch_lengths) use(mysql_free_result)

/* The library is loaded when the first MariaDB store is opened, as libpq is. */
struct libmariadb {
#define LIBMARIADB_FIELD(name) __typeof__(name) *_Nonnull name;
    LIBMARIADB_FUNCTIONS(LIBMARIADB_FIELD)
#undef LIBMARIADB_FIELD
};

/* The library; NULL when it cannot be loaded. Then *error says why. It is loaded once, and stays. */
const struct libmariadb *_Nullable libmariadb_load(const char *_Nullable *_Nonnull error);

/* One option, as mysql_options takes it: a number, a text, or nothing. */
int libmariadb_set_number(const struct libmariadb *_Nonnull library, MYSQL *_Nonnull mysql, enum mysql_option option,
                          unsigned int value);
int libmariadb_set_text(const struct libmariadb *_Nonnull library, MYSQL *_Nonnull mysql, enum mysql_option option,
                        const char *_Nullable value);

#endif
