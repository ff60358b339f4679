#define _GNU_SOURCE
#include "CCampaign.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int campaign_pidfd(int process) { return (int)syscall(SYS_pidfd_open, process, 0); }

int campaign_memory_file(void) { return memfd_create("output", MFD_CLOEXEC); }

int campaign_spawn(char *const arguments[], char *const environment[], const char *directory, int input, int output,
                   int errors) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input, 0);
    posix_spawn_file_actions_adddup2(&actions, output, 1);
    posix_spawn_file_actions_adddup2(&actions, errors, 2);
    posix_spawn_file_actions_addclosefrom_np(&actions, 3);
    posix_spawn_file_actions_addchdir_np(&actions, directory);

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    sigset_t signals;
    sigemptyset(&signals);
    posix_spawnattr_setsigmask(&attributes, &signals);
    sigfillset(&signals);
    posix_spawnattr_setsigdefault(&attributes, &signals);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);

    pid_t process;
    int code = posix_spawnp(&process, arguments[0], &actions, &attributes, arguments, environment);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
    return code == 0 ? process : -code;
}

void campaign_print_by_line(void) { setvbuf(stdout, NULL, _IOLBF, 0); }

void campaign_write_back(const char *path) {
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0) return;
    sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
    close(file);
}

int campaign_own_mounts(void) {
    static __thread int done;
    if (done) return 0;
    if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0) return -errno;
    done = 1;
    return 0;
}

int campaign_offset(const char *zone, long second) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char current[256];
    pthread_mutex_lock(&lock);
    if (strcmp(current, zone) != 0) {
        snprintf(current, sizeof current, "%s", zone);
        setenv("TZ", current, 1);
        tzset();
    }
    struct tm shown;
    time_t time = second;
    localtime_r(&time, &shown);
    pthread_mutex_unlock(&lock);
    return (int)shown.tm_gmtoff;
}
