/* Nothing to include: the library is preloaded. */
