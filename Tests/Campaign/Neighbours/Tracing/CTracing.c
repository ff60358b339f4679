#define _GNU_SOURCE
#include "CTracing.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

/* What takes a path, or acts on a file as a whole. Reading and writing goes to a file that is open, whatever its name. */
#define CALLS(use, old)                                                                                                \
    use(openat, 0, 1, -1) use(openat2, 0, 1, -1) use(newfstatat, 0, 1, 0) use(statx, 0, 1, 0)                          \
    use(faccessat, 0, 1, -1) use(faccessat2, 0, 1, -1) use(readlinkat, 0, 1, -1) use(unlinkat, 0, 1, -1)               \
    use(mkdirat, 0, 1, -1) use(mknodat, 0, 1, -1) use(renameat, 0, 1, -1) use(renameat2, 0, 1, -1)                     \
    use(linkat, 0, 1, -1) use(symlinkat, 1, 2, -1) use(fchmodat, 0, 1, -1) use(fchownat, 0, 1, -1)                     \
    use(utimensat, 0, 1, 0) use(truncate, -1, 0, -1) use(statfs, -1, 0, -1) use(chdir, -1, 0, -1)                      \
    use(setxattr, -1, 0, -1) use(getxattr, -1, 0, -1) use(lgetxattr, -1, 0, -1) use(inotify_add_watch, -1, 1, -1)      \
    use(name_to_handle_at, 0, 1, -1)                                                                                   \
    use(fstat, -1, -1, 0) use(fstatfs, -1, -1, 0) use(fchmod, -1, -1, 0) use(fchown, -1, -1, 0)                        \
    use(ftruncate, -1, -1, 0) use(fallocate, -1, -1, 0) use(fsync, -1, -1, 0) use(fdatasync, -1, -1, 0)                \
    use(getdents64, -1, -1, 0) use(fcntl, -1, -1, 0) use(flock, -1, -1, 0) use(mmap, -1, -1, 4)                        \
    use(fgetxattr, -1, -1, 0) old

#ifdef __x86_64__
#define OLD(use)                                                                                                       \
    use(open, -1, 0, -1) use(creat, -1, 0, -1) use(stat, -1, 0, -1) use(lstat, -1, 0, -1) use(access, -1, 0, -1)       \
    use(readlink, -1, 0, -1) use(unlink, -1, 0, -1) use(rmdir, -1, 0, -1) use(mkdir, -1, 0, -1)                        \
    use(mknod, -1, 0, -1) use(rename, -1, 0, -1) use(link, -1, 0, -1) use(symlink, -1, 1, -1)                          \
    use(chmod, -1, 0, -1) use(chown, -1, 0, -1) use(lchown, -1, 0, -1) use(utimes, -1, 0, -1)                          \
    use(getdents, -1, -1, 0)
#else
#define OLD(use)
#endif

struct described {
    long number;
    const char *name;
    int directory, path, file;
};

static const struct described calls[] = {
#define DESCRIBE(name, directory, path, file) {SYS_##name, #name, directory, path, file},
    CALLS(DESCRIBE, OLD(DESCRIBE))};
enum { CALL_COUNT = sizeof calls / sizeof *calls };

static const struct described *described(long number) {
    for (int index = 0; index < CALL_COUNT; index++)
        if (calls[index].number == number) return &calls[index];
    return NULL;
}

const char *tracing_name(long number) {
    const struct described *call = described(number);
    return call != NULL ? call->name : NULL;
}

void tracing_places(long number, int *directory, int *path, int *file) {
    const struct described *call = described(number);
    *directory = call != NULL ? call->directory : -1;
    *path = call != NULL ? call->path : -1;
    *file = call != NULL ? call->file : -1;
}

/* The kernel stops the thread at these calls alone: all others cost nothing. */
static int install_filter(void) {
    struct sock_filter filter[CALL_COUNT + 3];
    filter[0] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    for (int index = 0; index < CALL_COUNT; index++)
        filter[index + 1] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[index].number,
                                                         (uint8_t)(CALL_COUNT - index), 0);
    filter[CALL_COUNT + 1] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    filter[CALL_COUNT + 2] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRACE);
    struct sock_fprog program = {.len = CALL_COUNT + 3, .filter = filter};
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

/* In the new process: only what a signal handler may call. */
static void begin(char *const arguments[], char *const environment[], const char *directory, int output, int errors,
                  uid_t user, gid_t group, int report) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    int nothing = open("/dev/null", O_RDONLY);
    if (dup2(nothing, 0) == 0 && dup2(output, 1) == 1 && dup2(errors, 2) == 2 && chdir(directory) == 0 &&
        ptrace(PTRACE_TRACEME, 0, 0, 0) == 0 && syscall(SYS_setgroups, group != 0, &group) == 0 &&
        syscall(SYS_setresgid, group, group, group) == 0 && fcntl(report, F_SETFD, FD_CLOEXEC) == 0 &&
        install_filter() == 0 && syscall(SYS_setresuid, user, user, user) == 0)
        execve(arguments[0], arguments, environment);
    int code = errno;
    if (write(report, &code, sizeof code) < 0) _exit(126);
    _exit(127);
}

int tracing_start(char *const arguments[], char *const environment[], const char *directory, int output, int errors,
                  uid_t user, gid_t group) {
    int report[2], code = 0, status;
    if (pipe2(report, O_CLOEXEC) != 0) return -errno;
    pid_t process = fork();
    if (process == 0) begin(arguments, environment, directory, output, errors, user, group, report[1]);
    code = process < 0 ? errno : 0;
    close(report[1]);
    if (process > 0 && read(report[0], &code, sizeof code) == 0) code = 0;
    close(report[0]);
    if (process < 0) return -code;
    while (waitpid(process, &status, __WALL) < 0 && errno == EINTR) {}
    if (!WIFSTOPPED(status)) return code != 0 ? -code : -ECHILD;
    long options = PTRACE_O_TRACESECCOMP | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK |
                   PTRACE_O_EXITKILL;
    if (ptrace(PTRACE_SETOPTIONS, process, 0, options) != 0 || ptrace(PTRACE_CONT, process, 0, 0) != 0) {
        code = errno;
        kill(process, SIGKILL);
        return -code;
    }
    return process;
}

int tracing_next(int process, struct traced_call *call, int *status) {
    if (call->thread != 0) ptrace(PTRACE_CONT, call->thread, 0, 0);
    call->thread = 0;
    for (;;) {
        pid_t thread = waitpid(-1, status, __WALL | __WNOTHREAD);
        if (thread < 0 && errno == EINTR) continue;
        if (thread < 0) return 0;
        if (!WIFSTOPPED(*status)) {
            if (thread == process) return 0;
            continue;
        }
        int event = *status >> 16, signal = WSTOPSIG(*status);
        if (event == PTRACE_EVENT_SECCOMP) {
            struct __ptrace_syscall_info info;
            if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, sizeof info, &info) > 0) {
                call->thread = thread;
                call->number = (long)info.seccomp.nr;
                for (int index = 0; index < 6; index++) call->arguments[index] = info.seccomp.args[index];
                return 1;
            }
        }
        /* A new thread begins stopped; what else stops a thread is a signal for it. */
        int isOwn = event != 0 || signal == SIGTRAP || signal == SIGSTOP;
        ptrace(PTRACE_CONT, thread, 0, isOwn ? 0 : signal);
    }
}

long tracing_text(int thread, unsigned long address, char *text, size_t size) {
    size_t length = 0;
    while (length < size) {
        /* Not beyond the page: the next one may not exist. */
        size_t piece = 4096 - (address + length) % 4096;
        if (piece > size - length) piece = size - length;
        struct iovec here = {text + length, piece}, there = {(void *)(address + length), piece};
        ssize_t count = process_vm_readv(thread, &here, 1, &there, 1, 0);
        if (count <= 0) return -1;
        char *end = memchr(text + length, 0, (size_t)count);
        if (end != NULL) return end - text;
        length += (size_t)count;
    }
    return -1;
}

void tracing_act_as(uid_t user, gid_t group) {
    if (user == 0) setfsuid(user);
    setfsgid(group);
    if (user != 0) setfsuid(user);
}
