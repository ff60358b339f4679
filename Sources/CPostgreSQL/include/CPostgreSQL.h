#ifndef PRUNED_CPOSTGRESQL_H
#define PRUNED_CPOSTGRESQL_H

#include <postgresql/libpq-fe.h>

/* The functions of libpq that are used. */
#define LIBPQ_FUNCTIONS(use) \
    use(PQconninfoParse) use(PQconninfoFree) use(PQfreemem) \
    use(PQconnectStartParams) use(PQconnectPoll) use(PQfinish) use(PQstatus) use(PQsocket) \
    use(PQerrorMessage) use(PQserverVersion) use(PQbackendPID) use(PQparameterStatus) use(PQdb) use(PQuser) \
    use(PQhost) use(PQport) use(PQhostaddr) use(PQconninfo) use(PQconnectionNeedsPassword) use(PQconnectionUsedPassword) \
    use(PQtransactionStatus) use(PQconsumeInput) use(PQisBusy) \
    use(PQgetResult) use(PQclear) use(PQsendQuery) use(PQsendQueryParams) use(PQsendPrepare) use(PQsendQueryPrepared) \
    use(PQsetSingleRowMode) use(PQresultStatus) use(PQresultErrorField) use(PQresultErrorMessage) \
    use(PQntuples) use(PQnfields) use(PQgetvalue) use(PQgetisnull) use(PQgetlength) \
    use(PQcmdTuples) use(PQgetCancel) use(PQfreeCancel) use(PQcancel) use(PQsetNoticeReceiver) use(PQpingParams)

/*
 * libpq is loaded when the first PostgreSQL store is opened: it brings TLS, Kerberos and LDAP with it, several megabytes
 * that a service with SQLite stores alone does not need.
 */
struct libpq {
#define LIBPQ_FIELD(name) __typeof__(name) *_Nonnull name;
    LIBPQ_FUNCTIONS(LIBPQ_FIELD)
#undef LIBPQ_FIELD
};

/* The library; NULL when it cannot be loaded. Then *error says why. It is loaded once, and stays. */
const struct libpq *_Nullable libpq_load(const char *_Nullable *_Nonnull error);

#endif
