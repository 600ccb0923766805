import type { Class } from './sending.ts'

/** A message that a worker has leased: where it is, what it belongs to, and whose it is. */
export type Leased = {
  readonly bucket: number
  readonly message_id: string
  readonly profile_id: string
  readonly workspace_id: number
  readonly cause: string
  readonly step: string
  readonly visit: number
  readonly channel: string
  readonly class: Class
  readonly plannedMs: number
  /** Times it was claimed, this one included, without those that do not count. */
  readonly attempts: number
  /** Which of the rates have let it go: `send_rate` of 0018. */
  readonly room: number
  /** A server may have had it before, and nobody knows. */
  readonly doubted: boolean
  readonly lease: string
}
