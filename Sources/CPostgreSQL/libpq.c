#include "CPostgreSQL.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>

static struct libpq library;
static char failure[512];
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load(void) {
    void *handle = dlopen("libpq.so.5", RTLD_NOW | RTLD_LOCAL);
    if (handle == NULL) {
        const char *reason = dlerror();
        snprintf(failure, sizeof failure, "%s", reason != NULL ? reason : "it cannot be loaded");
        return;
    }
#define LOAD(name) \
    *(void **)&library.name = dlsym(handle, #name); \
    if (*(void **)&library.name == NULL) snprintf(failure, sizeof failure, "libpq.so.5 has no function %s", #name);
    LIBPQ_FUNCTIONS(LOAD)
#undef LOAD
}

const struct libpq *libpq_load(const char **error) {
    pthread_once(&once, load);
    *error = failure[0] != '\0' ? failure : NULL;
    return failure[0] != '\0' ? NULL : &library;
}
