#include <systemd/sd-bus.h>
#include <systemd/sd-daemon.h>
#include <systemd/sd-journal.h>
/* adjtimex, which the Glibc module leaves out. */
#include <sys/timex.h>
