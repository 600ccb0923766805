/** What decides when a message is tried again. `attempts` are those that count, the last one included. */
export type RetriedMessage = { readonly message_id: string; readonly plannedMs: number; readonly attempts: number }

/**
 * Why a message is tried again: the server deferred it, complained about the rate, or was not reached, or the outcome is uncertain. `busy`:
 * the server takes no more now and says when to come again. Such an attempt and one that was throttled do not count.
 */
export type RetryKind = 'deferred' | 'throttled' | 'unreached' | 'busy'
