/* Preloaded into the attacked program: makes one of its calls fail, late or last, and writes down which.
 *
 * Counted are calls that change, sync or lock a file, in all threads together, or allocations. The environment says:
 *   FAULTS_OF    "calls", or "writes" among them; "sqlite" or "others" for allocations by libsqlite3 or by all else;
 *                "archive" or "ledger" for those by libsqlite3 in a thread that has this file open
 *   FAULTS_AT    the number of the call, from 1; 0 only counts
 *   FAULTS_WAY   what happens there: EIO ENOSPC EDQUOT EINTR short before after delay ENOMEM; before and after kill
 *   FAULTS_ON    not empty: so do all calls after it
 *   FAULTS_LOG   a file that gets a line for each call that was counted, or for the one that was hit
 * and, with or without these,
 *   FAULTS_AHEAD how many seconds the clock is ahead
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum class { NOTHING, CALLS, WRITES, SQLITE, OTHERS, NEAR };
enum way { ERROR, SHORT, BEFORE, AFTER, DELAY };

static enum class class;
static enum way way;
static int error;
static long at;
static bool goes_on;
static int log_file = -1;
static atomic_long count;
/* The name of the file near which SQLite's allocations count, and its descriptor in this thread. */
static const char *near;
static __thread int near_file = -1;
static long ahead;
static int (*original_clock)(clockid_t, struct timespec *);
static uintptr_t sqlite_start, sqlite_end;

/* The libraries of the process are known before main; SQLite is one of them. */
static int find_sqlite(struct dl_phdr_info *library, size_t size, void *nothing) {
    (void)size, (void)nothing;
    if (!strstr(library->dlpi_name, "libsqlite3.so")) return 0;
    sqlite_start = library->dlpi_addr;
    for (int i = 0; i < library->dlpi_phnum; i++) {
        uintptr_t end = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr + library->dlpi_phdr[i].p_memsz;
        if (library->dlpi_phdr[i].p_type == PT_LOAD && end > sqlite_end) sqlite_end = end;
    }
    return 1;
}

static bool is(const char *name, const char *value) {
    const char *set = getenv(name);
    return set && strcmp(set, value) == 0;
}

__attribute__((constructor)) static void begin(void) {
    const char *file = getenv("FAULTS_LOG"), *number = getenv("FAULTS_AT"), *on = getenv("FAULTS_ON");
    original_clock = dlsym(RTLD_NEXT, "clock_gettime");
    ahead = getenv("FAULTS_AHEAD") ? atol(getenv("FAULTS_AHEAD")) : 0;
    if (!file || !number) return;
    /* High up, where it is nobody's standard stream and in nobody's way. */
    int opened = (int)syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
    log_file = (int)syscall(SYS_fcntl, opened, F_DUPFD_CLOEXEC, 500);
    syscall(SYS_close, opened);
    at = atol(number);
    goes_on = on && *on;
    error = is("FAULTS_WAY", "ENOSPC")   ? ENOSPC
            : is("FAULTS_WAY", "EDQUOT") ? EDQUOT
            : is("FAULTS_WAY", "EINTR")  ? EINTR
            : is("FAULTS_WAY", "ENOMEM") ? ENOMEM
                                         : EIO;
    way = is("FAULTS_WAY", "short")    ? SHORT
          : is("FAULTS_WAY", "before") ? BEFORE
          : is("FAULTS_WAY", "after")  ? AFTER
          : is("FAULTS_WAY", "delay")  ? DELAY
                                       : ERROR;
    dl_iterate_phdr(find_sqlite, NULL);
    near = is("FAULTS_OF", "archive") ? "/archive.sqlite" : is("FAULTS_OF", "ledger") ? "/state.sqlite" : NULL;
    class = near                        ? NEAR
            : is("FAULTS_OF", "sqlite")   ? SQLITE
            : is("FAULTS_OF", "others") ? OTHERS
            : is("FAULTS_OF", "writes") ? WRITES
                                        : CALLS;
}

static void note(const char *call, int file, const char *path) {
    char link[32], target[512] = "", line[600];
    if (!path && file >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        syscall(SYS_readlink, link, target, sizeof target - 1);
        path = target;
    }
    int length = snprintf(line, sizeof line, "%s %s\n", call, path ? path : "");
    syscall(SYS_write, log_file, line, length);
}

static void end_process(void) {
    syscall(SYS_kill, getpid(), SIGKILL);
    for (;;) pause();
}

/* Streams and their like are no files of the store. */
static bool is_file(int file) {
    struct stat facts;
    if (file <= 2 || file == log_file || syscall(SYS_fstat, file, &facts) != 0) return false;
    return S_ISREG(facts.st_mode) || S_ISDIR(facts.st_mode);
}

/* Whether the call that is to be made now is to be hit. */
static bool is_hit(enum class kind, const char *call, int file, const char *path) {
    if ((class != CALLS && class != kind) || (!path && !is_file(file))) return false;
    int saved = errno;
    long number = atomic_fetch_add(&count, 1) + 1;
    bool hit = at > 0 && (number == at || (goes_on && number > at));
    if (at == 0 || number == at) note(call, file, path);
    errno = saved;
    return hit;
}

/* A call that returns -1 on failure: fails, or is made. */
#define ATTEMPT(type, call, file, path, made)            \
    do {                                                 \
        if (!is_hit(CALLS, call, file, path)) return made; \
        if (way == ERROR) return errno = error, (type)-1; \
        if (way == BEFORE) end_process();                \
        if (way == DELAY) usleep(5000);                  \
        type result = made;                              \
        if (way == AFTER) end_process();                 \
        return result;                                   \
    } while (0)

/* The same for one that writes `length` bytes, which can be fewer. */
#define ATTEMPT_WRITE(call, file, made_of)                                              \
    do {                                                                                \
        bool hit = is_hit(WRITES, call, file, NULL);                                    \
        if (hit && way == ERROR) return errno = error, -1;                              \
        if (hit && way == BEFORE) end_process();                                        \
        if (hit && way == DELAY) usleep(5000);                                          \
        ssize_t result = made_of(hit && way == SHORT && length > 1 ? length / 2 : length); \
        if (hit && way == AFTER) end_process();                                         \
        return result;                                                                  \
    } while (0)

#define EXPORTED __attribute__((visibility("default")))

EXPORTED ssize_t write(int file, const void *bytes, size_t length) {
#define MADE(n) syscall(SYS_write, file, bytes, (size_t)(n))
    ATTEMPT_WRITE("write", file, MADE);
#undef MADE
}

EXPORTED ssize_t pwrite64(int file, const void *bytes, size_t length, off64_t offset) {
#define MADE(n) syscall(SYS_pwrite64, file, bytes, (size_t)(n), offset)
    ATTEMPT_WRITE("pwrite64", file, MADE);
#undef MADE
}
EXPORTED ssize_t pwrite(int file, const void *bytes, size_t length, off_t offset) {
    return pwrite64(file, bytes, length, offset);
}

/* Not shortened: nothing that is attacked writes several pieces to a file. */
EXPORTED ssize_t writev(int file, const struct iovec *pieces, int number) {
    ATTEMPT(ssize_t, "writev", file, NULL, syscall(SYS_writev, file, pieces, number));
}
EXPORTED ssize_t pwritev(int file, const struct iovec *pieces, int number, off_t offset) {
    ATTEMPT(ssize_t, "pwritev", file, NULL, syscall(SYS_pwritev, file, pieces, number, offset, 0));
}
EXPORTED ssize_t sendfile(int out, int in, off_t *offset, size_t length) {
    ATTEMPT(ssize_t, "sendfile", out, NULL, syscall(SYS_sendfile, out, in, offset, length));
}

EXPORTED int ftruncate64(int file, off64_t length) {
    ATTEMPT(int, "ftruncate", file, NULL, (int)syscall(SYS_ftruncate, file, length));
}
EXPORTED int ftruncate(int file, off_t length) { return ftruncate64(file, length); }

EXPORTED int fallocate64(int file, int mode, off64_t offset, off64_t length) {
    ATTEMPT(int, "fallocate", file, NULL, (int)syscall(SYS_fallocate, file, mode, offset, length));
}
EXPORTED int fallocate(int file, int mode, off_t offset, off_t length) {
    return fallocate64(file, mode, offset, length);
}

EXPORTED int fsync(int file) { ATTEMPT(int, "fsync", file, NULL, (int)syscall(SYS_fsync, file)); }
EXPORTED int fdatasync(int file) { ATTEMPT(int, "fdatasync", file, NULL, (int)syscall(SYS_fdatasync, file)); }

EXPORTED int fchmod(int file, mode_t mode) { ATTEMPT(int, "fchmod", file, NULL, (int)syscall(SYS_fchmod, file, mode)); }
EXPORTED int fchown(int file, uid_t user, gid_t group) {
    ATTEMPT(int, "fchown", file, NULL, (int)syscall(SYS_fchown, file, user, group));
}
EXPORTED int fsetxattr(int file, const char *name, const void *value, size_t size, int flags) {
    ATTEMPT(int, "fsetxattr", file, NULL, (int)syscall(SYS_fsetxattr, file, name, value, size, flags));
}
EXPORTED int futimens(int file, const struct timespec times[2]) {
    ATTEMPT(int, "utimensat", file, NULL, (int)syscall(SYS_utimensat, file, NULL, times, 0));
}
EXPORTED int flock(int file, int operation) {
    ATTEMPT(int, "flock", file, NULL, (int)syscall(SYS_flock, file, operation));
}

EXPORTED int unlink(const char *path) { ATTEMPT(int, "unlink", -1, path, (int)syscall(SYS_unlink, path)); }
EXPORTED int unlinkat(int directory, const char *path, int flags) {
    ATTEMPT(int, "unlinkat", -1, path, (int)syscall(SYS_unlinkat, directory, path, flags));
}
EXPORTED int rmdir(const char *path) { ATTEMPT(int, "rmdir", -1, path, (int)syscall(SYS_rmdir, path)); }
EXPORTED int rename(const char *from, const char *to) {
    ATTEMPT(int, "rename", -1, to, (int)syscall(SYS_rename, from, to));
}
EXPORTED int link(const char *from, const char *to) { ATTEMPT(int, "link", -1, to, (int)syscall(SYS_link, from, to)); }
EXPORTED int symlink(const char *from, const char *to) {
    ATTEMPT(int, "symlink", -1, to, (int)syscall(SYS_symlink, from, to));
}
EXPORTED int mkdir(const char *path, mode_t mode) {
    ATTEMPT(int, "mkdir", -1, path, (int)syscall(SYS_mkdir, path, mode));
}
EXPORTED int mknodat(int directory, const char *path, mode_t mode, dev_t device) {
    ATTEMPT(int, "mknodat", -1, path, (int)syscall(SYS_mknodat, directory, path, mode, device));
}
EXPORTED int mknod(const char *path, mode_t mode, dev_t device) { return mknodat(AT_FDCWD, path, mode, device); }
/* glibc does what Linux 6.1 cannot, by way of a chmod. */
EXPORTED int fchmodat(int directory, const char *path, mode_t mode, int flags) {
    int (*original)(int, const char *, mode_t, int) = dlsym(RTLD_NEXT, "fchmodat");
    ATTEMPT(int, "chmod", -1, path, original(directory, path, mode, flags));
}
EXPORTED int chmod(const char *path, mode_t mode) {
    ATTEMPT(int, "chmod", -1, path, (int)syscall(SYS_chmod, path, mode));
}
EXPORTED int chown(const char *path, uid_t user, gid_t group) {
    ATTEMPT(int, "chown", -1, path, (int)syscall(SYS_chown, path, user, group));
}
EXPORTED int lchown(const char *path, uid_t user, gid_t group) {
    ATTEMPT(int, "lchown", -1, path, (int)syscall(SYS_lchown, path, user, group));
}

/* The file is opened by way of a descriptor, so its own name is looked up. */
static int noted(int file, int flags) {
    char link[32], target[512] = "";
    if (!near || file < 0 || flags & O_PATH) return file;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    syscall(SYS_readlink, link, target, sizeof target - 1);
    size_t length = strlen(target), end = strlen(near);
    if (length > end && strcmp(target + length - end, near) == 0) near_file = file;
    return file;
}

EXPORTED int close(int file) {
    if (file == near_file) near_file = -1;
    return (int)syscall(SYS_close, file);
}

static int open_at(int directory, const char *path, int flags, mode_t mode) {
#define MADE noted((int)syscall(SYS_openat, directory, path, flags, mode), flags)
    if (!(flags & (O_CREAT | O_TRUNC))) return MADE;
    ATTEMPT(int, "openat", -1, path, MADE);
#undef MADE
}

#define MODE(flags) ({ va_list list; va_start(list, flags); mode_t mode = va_arg(list, mode_t); va_end(list); mode; })

EXPORTED int open64(const char *path, int flags, ...) { return open_at(AT_FDCWD, path, flags, MODE(flags)); }
EXPORTED int open(const char *path, int flags, ...) { return open_at(AT_FDCWD, path, flags, MODE(flags)); }
EXPORTED int openat64(int directory, const char *path, int flags, ...) {
    return open_at(directory, path, flags, MODE(flags));
}
EXPORTED int openat(int directory, const char *path, int flags, ...) {
    return open_at(directory, path, flags, MODE(flags));
}

static bool is_lock(int command) {
    return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK || command == F_OFD_SETLKW;
}

EXPORTED int fcntl64(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
#define MADE (int)syscall(SYS_fcntl, file, command, argument)
    if (!is_lock(command)) return MADE;
    ATTEMPT(int, "fcntl", file, NULL, MADE);
#undef MADE
}
EXPORTED int fcntl(int file, int command, ...) {
    va_list list;
    va_start(list, command);
    void *argument = va_arg(list, void *);
    va_end(list);
    return fcntl64(file, command, argument);
}

EXPORTED void *mmap64(void *wanted, size_t length, int protection, int flags, int file, off64_t offset) {
#define MADE (void *)syscall(SYS_mmap, wanted, length, protection, flags, file, offset)
    if (file < 0 || !(flags & MAP_SHARED)) return MADE;
    ATTEMPT(void *, "mmap", file, NULL, MADE);
#undef MADE
}
EXPORTED void *mmap(void *wanted, size_t length, int protection, int flags, int file, off_t offset) {
    return mmap64(wanted, length, protection, flags, file, offset);
}

EXPORTED int clock_gettime(clockid_t clock, struct timespec *now) {
    int result = original_clock ? original_clock(clock, now) : (int)syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && clock == CLOCK_REALTIME) now->tv_sec += ahead;
    return result;
}
EXPORTED int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    if (clock_gettime(CLOCK_REALTIME, &precise) != 0) return -1;
    *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
    return 0;
}
EXPORTED time_t time(time_t *result) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (result) *result = now.tv_sec;
    return now.tv_sec;
}

/* Allocations. glibc's own functions stand behind the names that are replaced. */

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t),
    *__libc_memalign(size_t, size_t);

static bool fails(void *caller) {
    if (class != SQLITE && class != OTHERS && class != NEAR) return false;
    bool is_sqlite = (uintptr_t)caller >= sqlite_start && (uintptr_t)caller < sqlite_end;
    if (is_sqlite != (class != OTHERS) || (class == NEAR && near_file < 0)) return false;
    long number = atomic_fetch_add(&count, 1) + 1;
    if (number == at || at == 0) note("allocation", -1, NULL);
    return at > 0 && (number == at || (goes_on && number > at));
}

#define ALLOCATE(made) return fails(__builtin_return_address(0)) ? (errno = ENOMEM, NULL) : made

EXPORTED void *malloc(size_t size) { ALLOCATE(__libc_malloc(size)); }
EXPORTED void *calloc(size_t number, size_t size) { ALLOCATE(__libc_calloc(number, size)); }
EXPORTED void *realloc(void *old, size_t size) { ALLOCATE(__libc_realloc(old, size)); }
EXPORTED void *aligned_alloc(size_t alignment, size_t size) { ALLOCATE(__libc_memalign(alignment, size)); }
EXPORTED int posix_memalign(void **result, size_t alignment, size_t size) {
    if (fails(__builtin_return_address(0))) return ENOMEM;
    *result = __libc_memalign(alignment, size);
    return *result ? 0 : ENOMEM;
}
