// Follows a program from one file operation to the next, as strace does, but stops it only at these.
#pragma once

#include <stddef.h>
#include <sys/types.h>

/// A system call that a program is about to make.
struct traced_call {
    /// The thread that makes it.
    int thread;
    long number;
    unsigned long arguments[6];
};

/// Starts a program as `user` and `group`, with `group` as its only other group. It stops before its first instruction.
/// Returns its process, or a negative errno. All other functions are for the same thread alone.
int tracing_start(char *const arguments[], char *const environment[], const char *directory, int output, int errors,
                  uid_t user, gid_t group);
/// Lets it go on to its next file operation. Returns 1 with the call, or 0 with the status of its end.
int tracing_next(int process, struct traced_call *call, int *status);
/// The name of a call that it may stop at; NULL for any other.
const char *tracing_name(long number);
/// Which argument is a descriptor of a directory, and which is a path in it; which is the descriptor of a file; -1: none.
void tracing_places(long number, int *directory, int *path, int *file);
/// Reads the text at an address of a thread; returns its length, or -1.
long tracing_text(int thread, unsigned long address, char *text, size_t size);
/// From now on this thread may do to files what such a user may do, until it is root (0, 0) again.
void tracing_act_as(uid_t user, gid_t group);
