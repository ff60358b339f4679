#include "CMariaDB.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static struct libmariadb library;
static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = dlopen("libmariadb.so.3", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "%s", reason != NULL ? reason : "it cannot be loaded");
        return;
    }
#define LOAD(name) \
    *(void **)&library.name = dlsym(handle, #name); \
    if (*(void **)&library.name == NULL) snprintf(failure, sizeof failure, "libmariadb.so.3 has no function %s", #name);
    LIBMARIADB_FUNCTIONS(LOAD)
#undef LOAD
}

const struct libmariadb *libmariadb_load(const char **error) {
    pthread_once(&once, load);
    *error = failure[0] != '\0' ? failure : NULL;
    return failure[0] != '\0' ? NULL : &library;
}

int libmariadb_set_number(const struct libmariadb *library, MYSQL *mysql, enum mysql_option option, unsigned int value) {
    return library->mysql_options(mysql, option, &value);
}

int libmariadb_set_text(const struct libmariadb *library, MYSQL *mysql, enum mysql_option option, const char *value) {
    return library->mysql_options(mysql, option, value);
}
