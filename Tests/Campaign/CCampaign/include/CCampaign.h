// Calls of the system that Swift does not import.
#pragma once

/// Writes each line to standard output as it is printed.
void campaign_print_by_line(void);
/// Lets the kernel write the pages of a file that were changed, without a flush of the disk. Nothing if there is no such file.
void campaign_write_back(const char *path);
/// From now on what this thread mounts is seen by itself and by what it starts alone, and goes with them.
/// Returns 0, or a negative errno.
int campaign_own_mounts(void);
/// The offset from UTC that the C library has at a Unix second, where TZ is `zone`.
int campaign_offset(const char *zone, long second);
