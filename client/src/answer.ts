/** An answer with any status. `body` is undefined when there is none, and a string when it is not JSON. */
export type Answer = { readonly status: number; readonly headers: Headers; readonly body: unknown }

/** What an attempt has given: an answer, or the error that took its place. */
export type Outcome = Answer | { readonly lost: unknown }
