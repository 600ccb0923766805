/**
 * What a refusal means for an address. hard: the address does not exist; soft: a temporary problem such as a full mailbox, which counts if
 * it persists; policy: this message was refused, which says nothing about the address.
 */
export type BounceKind = 'hard' | 'soft' | 'policy'

/** The reply of a server: its code, an enhanced code such as `5.1.1` if there is one, and the whole text. */
export type TransportReply = { readonly code: number; readonly enhanced?: string; readonly response: string }

/**
 * The outcome of sending a message by a transport:
 * - `accepted`: the server accepted it; `warnings` list copies that failed
 * - `deferred`: the server refused it for now; `throttled` if it says that it gets too much; `askedMs` is the pause that it asks for
 * - `refused`: the server refused it for good; `bounce` is what that means for the address, `leftGroup` the subscription group that the
 *   recipient has left at the provider
 * - `unreached`: the server got nothing, since it could not be reached or refused the connection
 * - `uncertain`: the connection ended after the content was sent, so the outcome is unknown
 * - `busy`: the server of this message takes no more now, so it is tried again after `againMs` of business time, and this does not count;
 *   `busyMs` is for how long it has taken none, 0 when the message only waits for others before it;
 *   `response` is empty when it said nothing
 */
export type TransportOutcome =
  | { readonly kind: 'accepted'; readonly response: string; readonly warnings?: readonly string[] }
  | ({ readonly kind: 'deferred'; readonly throttled: boolean; readonly askedMs?: number } & TransportReply)
  | ({ readonly kind: 'refused'; readonly bounce: BounceKind; readonly leftGroup?: number } & TransportReply)
  | { readonly kind: 'unreached'; readonly message: string }
  | { readonly kind: 'uncertain'; readonly message: string }
  | { readonly kind: 'busy'; readonly againMs: number; readonly busyMs?: number; readonly response: string }

/** Why the server was not reached by the last delivery, and whether messages wait because of that. */
export type TransportTrouble = { readonly cause: string; readonly isOpen: boolean }
