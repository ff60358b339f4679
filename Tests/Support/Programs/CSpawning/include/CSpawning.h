// Calls of the system that Swift does not import.
#pragma once

/// A new file in memory.
int spawning_memory_file(void);
/// Starts a program in `directory`, or where this process is, with these standard streams, no other descriptors and no
/// signal blocked or ignored. Returns its process, or a negative errno.
int spawning_start(const char *path, char *const arguments[], char *const environment[], const char *directory,
                   int input, int output, int errors);
