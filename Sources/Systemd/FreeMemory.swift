import CSystemd

/// What the process has freed.
package enum FreeMemory {
    /// Gives it back to the system: the threads of a run leave megabytes to the allocator, which a service would hold until
    /// the next one.
    package static func giveBack() { malloc_trim(0) }
}
