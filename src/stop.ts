import type { Services } from './services.ts'

/** What was accepted and is not finished. */
export type Unfinished = { readonly requests: number; readonly updates: number; readonly mails: number }

/** Counts requests without an answer, accepted updates that are not written, and mails that a mail server has not answered. */
export function countUnfinished({ intake, delivery }: Services, requests: number): Unfinished {
  return { requests, updates: intake.waiting(), mails: delivery?.inFlight() ?? 0 }
}

/** Describes what a stop has finished, such as `2 requests, 50 updates, 0 mails`. */
export function describeFinished(before: Unfinished, after: Unfinished): string {
  return (['requests', 'updates', 'mails'] as const)
    .map((noun) => {
      const count = Math.max(0, before[noun] - after[noun])
      return `${count} ${count === 1 ? noun.slice(0, -1) : noun}`
    })
    .join(', ')
}
