// What Linux has for processes beyond POSIX, which Swift's overlay leaves out.
#pragma once

#include <spawn.h>

/// Opens a pipe whose ends a new program does not have.
int process_pipe(int ends[2]);
/// Lets a new program have no descriptors from `first` on.
int process_close_from(posix_spawn_file_actions_t *actions, int first);
/// The name by which lists of processes know this one.
void process_name(const char *name);
/// The name of a signal, such as `SEGV`; null for one without a name.
const char *process_signal_name(int number);

/// Takes from this process all files but those below `directories`, which it may read and write, and `readable`, which it may
/// read; and each other process, and TCP. Both lists end with null; what is not there is left out. With `moves` files of
/// `directories` can be moved between these, and links made. Call it while there is one thread. Returns the version of landlock
/// that does it, 0 where the kernel has none, or -1 where it has one and refuses.
int process_confine_files(const char *const *directories, const char *const *readable, int moves);
/// The version of landlock that the kernel has; 0 if it has none.
int process_landlock_version(void);
/// Lets the calls fail that reach programs, sockets, other processes, and files by their paths. Call it while there is one
/// thread. Returns whether the kernel does it.
int process_confine_calls(void);
/// Opens an own file that nobody has open, also not this process, and lets others who open it wait until it is closed. -1 if it
/// is open elsewhere or another user's.
int process_seize_file(const char *path);
/// Whether nobody waits for such a file.
int process_still_seizes_file(int file);
