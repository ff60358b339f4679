#define _GNU_SOURCE
#include "CProcess.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/landlock.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

int process_pipe(int ends[2]) { return pipe2(ends, O_CLOEXEC); }

int process_close_from(posix_spawn_file_actions_t *actions, int first) {
    return posix_spawn_file_actions_addclosefrom_np(actions, first);
}

void process_name(const char *name) { prctl(PR_SET_NAME, name); }

const char *process_signal_name(int number) { return sigabbrev_np(number); }

// Debian 12 has the header of a kernel that knows less than the one that may run.
struct ruleset {
    uint64_t files, net, scoped;
};

enum {
    write_file = 1 << 1, read_file = 1 << 2, read_directory = 1 << 3, remove_file = 1 << 5,
    make_file = 1 << 8, make_link = 1 << 12, move_file = 1 << 13, truncate_file = 1 << 14,
};

int process_landlock_version(void) {
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

static void allow(int ruleset, const char *path, uint64_t rights) {
    int directory = open(path, O_PATH | O_CLOEXEC);
    if (directory < 0) return;
    struct stat status;
    if (fstat(directory, &status) == 0 && !S_ISDIR(status.st_mode)) rights &= read_file | write_file | truncate_file;
    struct landlock_path_beneath_attr rule = {.allowed_access = rights, .parent_fd = directory};
    syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0);
    close(directory);
}

int process_confine_files(const char *const *directories, const char *const *readable, int moves) {
    int version = process_landlock_version();
    if (version == 0) return 0;
    // Version 2 has one right more, 3 truncation, 5 device calls; 4 has TCP; 6 has abstract sockets and signals.
    int rights = version >= 5 ? 16 : version >= 3 ? 15 : version == 2 ? 14 : 13;
    struct ruleset all = {
        .files = (1ull << rights) - 1, .net = version >= 4 ? 3 : 0, .scoped = version >= 6 ? 3 : 0};
    size_t size = version >= 6 ? sizeof all : version >= 4 ? 16 : 8;
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &all, size, 0);
    if (ruleset < 0) return -1;
    uint64_t use = write_file | read_file | read_directory | remove_file | make_file | truncate_file;
    if (moves) use |= make_link | move_file;
    use &= all.files;
    for (; *directories; directories++) allow(ruleset, *directories, use);
    for (; *readable; readable++) allow(ruleset, *readable, read_file | read_directory);
    int fails = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0
        || syscall(SYS_landlock_restrict_self, ruleset, 0) != 0;
    close(ruleset);
    return fails ? -1 : version;
}

#if defined(__x86_64__)
#define ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define ARCHITECTURE AUDIT_ARCH_AARCH64
#else
#error "the numbers of system calls are not known here"
#endif

// Calls that the newest kernels have, and the headers of Debian 12 do not; their numbers are the same everywhere.
enum { call_fchmodat2 = 452, call_setxattrat = 463, call_removexattrat = 466 };

static const uint32_t refused[] = {
    SYS_execve, SYS_execveat, SYS_socket, SYS_socketpair, SYS_connect, SYS_bind, SYS_ptrace, SYS_process_vm_readv,
    SYS_process_vm_writev, SYS_process_madvise, SYS_tkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo,
    SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_truncate, SYS_fchmodat, call_fchmodat2, SYS_fchownat,
    SYS_utimensat, SYS_setxattr, SYS_lsetxattr, SYS_removexattr, SYS_lremovexattr, call_setxattrat,
    call_removexattrat, SYS_mount, SYS_umount2, SYS_unshare, SYS_setns, SYS_bpf, SYS_userfaultfd,
    SYS_perf_event_open, SYS_io_uring_setup, SYS_clock_settime, SYS_settimeofday, SYS_adjtimex, SYS_clock_adjtime,
    SYS_reboot, SYS_init_module, SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_swapon, SYS_swapoff,
    SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_fsmount, SYS_pivot_root, SYS_chroot, SYS_sethostname,
    SYS_setdomainname, SYS_acct, SYS_open_by_handle_at, SYS_sched_setscheduler, SYS_sched_setattr, SYS_setuid,
    SYS_setresuid, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_setsid, SYS_setpgid,
#if defined(__x86_64__)
    SYS_chmod, SYS_chown, SYS_lchown, SYS_utime, SYS_utimes, SYS_futimesat, SYS_fork, SYS_vfork,
#endif
};

// Root's worker keeps what its files may need. With others it could read the memory of processes.
static void drop_capabilities(void) {
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[2] = {{0}};
    uint32_t kept = 1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER
        | 1u << CAP_FSETID;
    if (syscall(SYS_capget, &header, data) != 0) return;
    data[0].effective &= kept, data[0].permitted &= kept, data[0].inheritable = 0;
    data[1] = (struct __user_cap_data_struct){0};
    syscall(SYS_capset, &header, data);
}

int process_confine_calls(void) {
    drop_capabilities();
    enum { count = sizeof refused / sizeof *refused };
    struct sock_filter filter[2 * count + 32];
    unsigned int length = 0;
    unsigned int number = offsetof(struct seccomp_data, nr), argument = offsetof(struct seccomp_data, args);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, ARCHITECTURE, 1, 0);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, number);
    // The same calls by other numbers, of the x32 programs.
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    for (unsigned int i = 0; i < count; i++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, refused[i], 0, 1);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
    }
    // A signal to itself, as that of abort(), is its own matter, and so are its own limits and threads.
    struct { unsigned int call, test; uint32_t value; } own[] = {
        {SYS_kill, BPF_JEQ, (uint32_t)getpid()}, {SYS_tgkill, BPF_JEQ, (uint32_t)getpid()},
        {SYS_prlimit64, BPF_JEQ, 0}, {SYS_clone, BPF_JSET, CLONE_THREAD}};
    for (unsigned int i = 0; i < sizeof own / sizeof *own; i++) {
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, own[i].call, 0, 4);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, argument);
        filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | own[i].test | BPF_K, own[i].value, 1, 0);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
        filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    }
    // What it is to start is out of sight here. The C library then takes the call above.
    filter[length++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clone3, 0, 1);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS);
    filter[length++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
    struct sock_fprog program = {.len = (unsigned short)length, .filter = filter};
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

int process_seize_file(const char *path) {
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (file < 0) return -1;
    // Who opens it waits meanwhile; that is told by a signal, which would end the process.
    signal(SIGIO, SIG_IGN);
    // The kernel grants this lease only on an own file that is open nowhere else.
    if (fcntl(file, F_SETLEASE, F_WRLCK) == 0) return file;
    close(file);
    return -1;
}

int process_still_seizes_file(int file) { return fcntl(file, F_GETLEASE) == F_WRLCK; }
