import CSystemd

/// Memory that the process has freed.
package enum FreeMemory {
    /// Has all threads share it, for a process that is idle most of the time: otherwise the threads of a run leave a
    /// megabyte behind. Must be called before other threads start.
    package static func share() { mallopt(M_ARENA_MAX, 1) }

    /// Returns it to the system. The threads of a run leave megabytes in the allocator, which would stay there until
    /// the next run.
    package static func giveBack() { malloc_trim(0) }
}
