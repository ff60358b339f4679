/* Preloaded into the attacked program: its wall clock stands at CLOCK_NOW (seconds since 1970) and steps by CLOCK_STEP
   seconds at the reading of the number CLOCK_STEP_AT, from 1 on. The file CLOCK_READINGS gets the number of readings,
   eight bytes. The monotonic clocks are the system's. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

static _Atomic long own_readings;
static _Atomic long *readings = &own_readings;
static long start, step, step_at;

static long number(const char *name) {
    const char *text = getenv(name);
    return text ? atol(text) : 0;
}

__attribute__((constructor)) static void set(void) {
    start = number("CLOCK_NOW");
    step = number("CLOCK_STEP");
    step_at = number("CLOCK_STEP_AT");
    const char *path = getenv("CLOCK_READINGS");
    int file = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
    if (file < 0) return;
    void *memory = mmap(0, sizeof *readings, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory != MAP_FAILED) readings = memory;
    close(file);
}

static long shown_at(long reading) { return start + (step_at && reading >= step_at ? step : 0); }

static int is_wall_clock(clockid_t clock) {
    return start && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI);
}

int clock_gettime(clockid_t clock, struct timespec *time) {
    if (!is_wall_clock(clock)) return (int)syscall(SYS_clock_gettime, clock, time);
    time->tv_sec = shown_at(atomic_fetch_add(readings, 1) + 1);
    time->tv_nsec = 0;
    return 0;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    now->tv_sec = time.tv_sec;
    now->tv_usec = time.tv_nsec / 1000;
    return 0;
}

time_t time(time_t *result) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    if (result) *result = time.tv_sec;
    return time.tv_sec;
}

/* Whether a time server keeps the clock right is CLOCK_SYNCHRONISED. */
int adjtimex(struct timex *state) {
    if (!start) return (int)syscall(SYS_adjtimex, state);
    *state = (struct timex){.status = number("CLOCK_SYNCHRONISED") ? 0 : STA_UNSYNC};
    state->time.tv_sec = shown_at(atomic_load(readings));
    return number("CLOCK_SYNCHRONISED") ? TIME_OK : TIME_ERROR;
}

/* The same instant by the monotonic clock: the kernel does not know of the clock that this library shows. */
static struct timespec monotonic(const struct timespec *wall) {
    struct timespec now;
    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now);
    long nanoseconds = now.tv_nsec + wall->tv_nsec;
    now.tv_sec += wall->tv_sec - shown_at(atomic_load(readings)) + nanoseconds / 1000000000;
    now.tv_nsec = nanoseconds % 1000000000;
    if (now.tv_sec < 0) now.tv_sec = now.tv_nsec = 0;
    return now;
}

int sem_timedwait(sem_t *semaphore, const struct timespec *until) {
    if (!start) return sem_clockwait(semaphore, CLOCK_REALTIME, until);
    struct timespec time = monotonic(until);
    return sem_clockwait(semaphore, CLOCK_MONOTONIC, &time);
}

int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until) {
    if (!start) return pthread_cond_clockwait(condition, mutex, CLOCK_REALTIME, until);
    struct timespec time = monotonic(until);
    return pthread_cond_clockwait(condition, mutex, CLOCK_MONOTONIC, &time);
}
