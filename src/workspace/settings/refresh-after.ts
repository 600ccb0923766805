/** Waits for a write and then refreshes this process's copy of the configuration, so that the next request here sees the write. */
export type RefreshAfter = <T>(write: Promise<T>) => Promise<T>

export function refreshAfter(copy: { refresh(): Promise<void> }): RefreshAfter {
  return async (write) => {
    const done = await write
    // The write is committed. When the database cannot be reached now, the next poll refreshes the copy.
    await Promise.allSettled([copy.refresh()])
    return done
  }
}
