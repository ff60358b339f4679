import DefaultStore

/// The tables of the store.
public typealias ReaderSchema = DefaultStore.ReaderSchema
/// The directory of the store.
public typealias StateDirectory = DefaultStore.StateDirectory
/// An error of the store.
public typealias ReaderStoreError = DefaultStore.ReaderStoreError
