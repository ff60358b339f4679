/* Preloaded into a worker process that was taken over: before it opens a database for the first time, it tries what it must
 * not be able to do, and writes down what came of it.
 *
 *   FAULTS_TAKES   a file of somebody else's, in a directory of somebody else's, that it is after
 *   FAULTS_TAKEN   a file that gets a line for each try: `refused WHAT` or `DONE WHAT`
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/xattr.h>
#include <unistd.h>

static int report = -1;
static const char *victim;

__attribute__((constructor)) static void begin(void) {
    victim = getenv("FAULTS_TAKES");
    const char *file = getenv("FAULTS_TAKEN");
    if (!victim || !file) return;
    char line[4096] = {0};
    int arguments = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    if (arguments < 0) return;
    ssize_t count = read(arguments, line, sizeof line - 1);
    close(arguments);
    if (count < 0 || strcmp(line + strlen(line) + 1, "worker") != 0) return;
    report = open(file, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

static void tell(const char *what, bool done) {
    dprintf(report, "%s %s\n", done ? "DONE" : "refused", what);
}

static void try_everything(void) {
    char beside[4096];
    snprintf(beside, sizeof beside, "%s-beside", victim);
    tell("read a file", open(victim, O_RDONLY) >= 0);
    tell("write a file", open(victim, O_WRONLY) >= 0);
    tell("make a file", open(beside, O_WRONLY | O_CREAT, 0600) >= 0);
    tell("truncate a file", syscall(SYS_truncate, victim, 0L) == 0);
    tell("change the mode of a file", syscall(SYS_fchmodat, AT_FDCWD, victim, 0777) == 0);
    tell("change the owner of a file", syscall(SYS_fchownat, AT_FDCWD, victim, getuid(), getgid(), 0) == 0);
    tell("change the times of a file", syscall(SYS_utimensat, AT_FDCWD, victim, NULL, 0) == 0);
    tell("set an attribute of a file", syscall(SYS_setxattr, victim, "user.a", "b", 1UL, 0) == 0);
    tell("remove a file", unlink(victim) == 0);
    tell("rename a file", rename(victim, beside) == 0);
    tell("link a file", link(victim, beside) == 0);
    tell("make a symbolic link", symlink(victim, beside) == 0);
    tell("make a directory", mkdir(beside, 0700) == 0);
    tell("read what the system is", open("/etc/os-release", O_RDONLY) >= 0);
    tell("list a directory", open("/etc", O_RDONLY | O_DIRECTORY) >= 0);
    char memory[64];
    snprintf(memory, sizeof memory, "/proc/%d/environ", getppid());
    tell("read another process's environment", open(memory, O_RDONLY) >= 0);
    tell("open a local socket", socket(AF_UNIX, SOCK_STREAM, 0) >= 0);
    tell("open an internet socket", socket(AF_INET, SOCK_STREAM, 0) >= 0);
    tell("signal another process", kill(getppid(), 0) == 0);
    tell("signal another thread", syscall(SYS_tgkill, getppid(), getppid(), 0) == 0);
    tell("trace another process", ptrace(PTRACE_SEIZE, getppid(), 0, 0) == 0);
    tell("hold another process", syscall(SYS_pidfd_open, getppid(), 0) >= 0);
    struct iovec here = {memory, 1}, there = {(void *)victim, 1};
    tell("read another process", process_vm_readv(getppid(), &here, 1, &there, 1, 0) >= 0);
    struct rlimit limit = {0, 0};
    tell("limit another process", prlimit(getppid(), RLIMIT_CORE, &limit, NULL) == 0);
    long child = syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
    if (child == 0) _exit(0);
    tell("start a process", child > 0);
    tell("leave its group", setsid() >= 0);
    char *arguments[] = {"true", NULL};
    syscall(SYS_execve, "/bin/true", arguments, NULL);
    tell("run a program", false);
}

int sqlite3_open_v2(const char *path, void **database, int flags, const char *layer) {
    static int (*original)(const char *, void **, int, const char *);
    if (!original) original = (int (*)(const char *, void **, int, const char *))dlsym(RTLD_NEXT, "sqlite3_open_v2");
    if (report >= 0) {
        try_everything();
        close(report);
        report = -1;
    }
    return original(path, database, flags, layer);
}
