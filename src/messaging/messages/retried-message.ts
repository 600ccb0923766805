/** What decides when a message is tried again. `attempts` are those that count, the last one included. */
export type RetriedMessage = { readonly message_id: string; readonly plannedMs: number; readonly attempts: number }

/**
 * Why a message is tried again: the server deferred it, complained about the rate, or was not reached, or the outcome is uncertain. `busy`:
 * the server takes no more now and says when to come again. `waiting`: it got nothing, since others are before the message or the server is
 * in trouble. These two and an attempt that was throttled do not count.
 */
export type RetryKind = 'deferred' | 'throttled' | 'unreached' | 'busy' | 'waiting'
