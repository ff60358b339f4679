import DefaultStore

/// The tables of the store; see there.
public typealias ReaderSchema = DefaultStore.ReaderSchema
/// Where the store is kept; see there.
public typealias StateDirectory = DefaultStore.StateDirectory
/// Why something could not be done to the store; see there.
public typealias ReaderStoreError = DefaultStore.ReaderStoreError
