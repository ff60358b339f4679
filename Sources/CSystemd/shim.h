#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
/* adjtimex, which the Glibc module leaves out. */
#include <sys/timex.h>
/* For malloc_trim and mallopt, which Swift's module of glibc leaves out. */
#include <malloc.h>
