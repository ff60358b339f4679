// A disk that remembers: one file for a loop device, served over FUSE, of which each write and each flush is recorded
// in the order in which it was done.
//
//   Disk IMAGE LOG DIRECTORY
//
// mounts on DIRECTORY, where `disk` is the IMAGE and each write to `mark` is a line in the LOG between the writes of the
// disk: what an app was told before is before it. It ends when DIRECTORY is unmounted, or its parent has died.
//
// LOG is a sequence of entries: a kind, a length and an offset (8 bytes each), and so many bytes.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

enum kind { WRITE = 1, FLUSH = 2, MARK = 3 };
enum node { ROOT = FUSE_ROOT_ID, DISK, MARKS };
enum { LARGEST_WRITE = 128 * 1024 };

static int image, record, fuse;

static void fail(const char *what) {
    perror(what);
    exit(1);
}

static void remember(enum kind kind, uint64_t offset, const void *bytes, uint64_t length) {
    uint64_t head[3] = {kind, length, offset};
    struct iovec parts[2] = {{head, sizeof head}, {(void *)bytes, length}};
    if (writev(record, parts, 2) != (ssize_t)(sizeof head + length)) fail("record");
}

static void answer(const struct fuse_in_header *request, int error, const void *bytes, size_t length) {
    struct fuse_out_header head = {sizeof head + length, -error, request->unique};
    struct iovec parts[2] = {{&head, sizeof head}, {(void *)bytes, length}};
    // An interrupted caller no longer waits for its answer.
    if (writev(fuse, parts, 2) < 0 && errno != ENOENT) fail("answer");
}

static struct fuse_attr attributes(enum node node) {
    struct stat facts;
    if (fstat(image, &facts) < 0) fail("stat");
    return (struct fuse_attr){
        .ino = node,
        .mode = node == ROOT ? S_IFDIR | 0700 : S_IFREG | 0600,
        .nlink = 1,
        .size = node == DISK ? (uint64_t)facts.st_size : 0,
        .blocks = node == DISK ? (uint64_t)facts.st_size / 512 : 0,
        .blksize = 4096,
    };
}

static void look_up(const struct fuse_in_header *request, const char *name) {
    enum node node = strcmp(name, "disk") == 0 ? DISK : strcmp(name, "mark") == 0 ? MARKS : 0;
    if (node == 0) return answer(request, ENOENT, NULL, 0);
    struct fuse_entry_out entry = {.nodeid = node, .entry_valid = 3600, .attr_valid = 3600, .attr = attributes(node)};
    answer(request, 0, &entry, sizeof entry);
}

static void read_disk(const struct fuse_in_header *request, const struct fuse_read_in *wanted) {
    static char bytes[1 << 20];
    size_t length = wanted->size < sizeof bytes ? wanted->size : sizeof bytes;
    ssize_t count = request->nodeid == DISK ? pread(image, bytes, length, wanted->offset) : 0;
    if (count < 0) return answer(request, errno, NULL, 0);
    answer(request, 0, bytes, count);
}

static void write_disk(const struct fuse_in_header *request, const struct fuse_write_in *given) {
    const char *bytes = (const char *)(given + 1);
    if (request->nodeid == DISK) {
        if (pwrite(image, bytes, given->size, given->offset) != given->size) return answer(request, EIO, NULL, 0);
        remember(WRITE, given->offset, bytes, given->size);
    } else {
        remember(MARK, 0, bytes, given->size);
    }
    struct fuse_write_out written = {.size = given->size};
    answer(request, 0, &written, sizeof written);
}

static void serve(const struct fuse_in_header *request) {
    const void *body = request + 1;
    switch (request->opcode) {
    case FUSE_INIT: {
        const struct fuse_init_in *kernel = body;
        struct fuse_init_out out = {
            .major = FUSE_KERNEL_VERSION,
            .minor = FUSE_KERNEL_MINOR_VERSION,
            .max_readahead = kernel->max_readahead,
            .flags = FUSE_BIG_WRITES & kernel->flags,
            .max_write = LARGEST_WRITE,
            .time_gran = 1,
        };
        return answer(request, 0, &out, sizeof out);
    }
    case FUSE_LOOKUP: return look_up(request, body);
    case FUSE_GETATTR:
    case FUSE_SETATTR: {
        struct fuse_attr_out out = {.attr_valid = 3600, .attr = attributes(request->nodeid)};
        return answer(request, 0, &out, sizeof out);
    }
    case FUSE_OPEN: {
        struct fuse_open_out out = {.open_flags = request->nodeid == MARKS ? FOPEN_DIRECT_IO : FOPEN_KEEP_CACHE};
        return answer(request, 0, &out, sizeof out);
    }
    case FUSE_READ: return read_disk(request, body);
    case FUSE_WRITE: return write_disk(request, body);
    case FUSE_FSYNC:
        if (request->nodeid == DISK) remember(FLUSH, 0, NULL, 0);
        return answer(request, 0, NULL, 0);
    case FUSE_FLUSH:
    case FUSE_RELEASE: return answer(request, 0, NULL, 0);
    case FUSE_FORGET:
    case FUSE_BATCH_FORGET:
    case FUSE_INTERRUPT: return;
    default: return answer(request, ENOSYS, NULL, 0);
    }
}

int main(int count, char **arguments) {
    if (count != 4) return 64;
    image = open(arguments[1], O_RDWR | O_CLOEXEC);
    record = open(arguments[2], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    fuse = open("/dev/fuse", O_RDWR | O_CLOEXEC);
    if (image < 0 || record < 0 || fuse < 0) fail("open");
    char options[128];
    snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=0,group_id=0", fuse);
    if (mount("disk", arguments[3], "fuse.disk", MS_NOSUID | MS_NODEV, options) < 0) fail("mount");

    static char request[LARGEST_WRITE + 8192];
    pid_t parent = getppid();
    while (getppid() == parent) {
        struct pollfd waiting = {fuse, POLLIN, 0};
        if (poll(&waiting, 1, 1000) == 0) continue;
        ssize_t length = read(fuse, request, sizeof request);
        if (length < 0 && errno == ENODEV) return 0;
        if (length < 0 && (errno == EINTR || errno == ENOENT)) continue;
        if (length < 0) fail("read");
        serve((const struct fuse_in_header *)request);
    }
    return 0;
}
