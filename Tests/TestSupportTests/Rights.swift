import Glibc

/// Whether a test may mount file systems.
let isRoot = geteuid() == 0
