#define _GNU_SOURCE
#include "CCampaign.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <time.h>
#include <unistd.h>

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
