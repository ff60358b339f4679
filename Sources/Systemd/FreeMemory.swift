import CSystemd

/// Memory that the process has freed.
package enum FreeMemory {
    /// Returns it to the system. The threads of a run leave megabytes in the allocator, which would stay there until
    /// the next run.
    package static func giveBack() { malloc_trim(0) }
}
