// Calls of the system that Swift does not import.
#pragma once

/// A descriptor that tells when a process has ended.
int campaign_pidfd(int process);
/// A new file in memory.
int campaign_memory_file(void);
/// Starts a program in `directory` with these standard streams, no other descriptors and no signal blocked or ignored.
/// Returns its process, or a negative errno.
int campaign_spawn(char *const arguments[], char *const environment[], const char *directory, int input, int output,
                   int errors);
/// Writes each line to standard output as it is printed.
void campaign_print_by_line(void);
/// Lets the kernel write the pages of a file that were changed, without a flush of the disk. Nothing if there is no such file.
void campaign_write_back(const char *path);
/// From now on what this thread mounts is seen by itself and by what it starts alone, and goes with them.
/// Returns 0, or a negative errno.
int campaign_own_mounts(void);
/// The offset from UTC that the C library has at a Unix second, where TZ is `zone`.
int campaign_offset(const char *zone, long second);
