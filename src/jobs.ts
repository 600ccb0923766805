import { forgetSignIns } from './accounts/sign-in/forget.ts'
import { deleteExpiredExports } from './audience/exports/delete-expired.ts'
import { recordDailySizes } from './audience/segments/daily-sizes.ts'
import type { Clock } from './base/clock.ts'
import type { Db } from './base/db/db.ts'
import { CHANGES, dropWeeksBefore, ensureWeeks, LEDGER } from './base/db/weeks.ts'
import { deleteAnswers } from './base/http/idempotency-store.ts'
import type { Job } from './base/work/jobs.ts'
import { cleanUpCatalogs } from './content/catalogs/clean-up.ts'
import { fillSelections } from './content/catalogs/fill-selections.ts'
import { forgetOrders } from './messaging/delivery/forget-orders.ts'
import { deleteIdleRates } from './messaging/delivery/rate-store.ts'
import { deleteExpiredWebhookTokens } from './messaging/feedback/webhook-token-store.ts'
import { updateWatchedOfAll } from './messaging/flows/watched-names.ts'
import { trimInbox } from './messaging/inbox/trim-inbox.ts'
import { forgetEntries, forgetRefused } from './messaging/journeys/forget-entries.ts'
import { deleteOldSignUps } from './messaging/sign-up/attempt-store.ts'
import { windowMs as signUpWindowMs } from './messaging/sign-up/limit-sign-ups.ts'
import { deleteSends } from './messaging/statuses/send-store.ts'
import { deleteExpired } from './people/confirmations/confirmation-store.ts'
import { forgetEvents } from './people/feed/forget-events.ts'
import { deleteIdentityChanges } from './people/identity/identity-change-store.ts'
import { deleteFlushes } from './people/intake/flush-store.ts'
import { forgetWork } from './people/merge/forget-work.ts'
import { changesKeptMs } from './people/profile/change-store.ts'
import { attemptsKeptMs } from './people/webhooks/attempt-rule.ts'
import { deleteAttemptsBefore } from './people/webhooks/delivery-store.ts'
import { forgetAudit } from './workspace/audit/forget.ts'
import { deleteDeletedNames } from './workspace/requests/deleted-names-store.ts'
import { historyCutoffMs, ledgerCutoffMs } from './workspace/settings/retention.ts'
import type { Workspaces } from './workspace/settings/workspaces.ts'
import { foldTallies, forgetTallies } from './workspace/tallies/keep-tallies.ts'
import { keepTraffic } from './workspace/traffic/keep-traffic.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
/** The outcome of a flush is looked up within seconds; its id is kept much longer. */
export const flushKeptMs = 10 * minuteMs
/** Caches read changes with their next flush. A cache that has not flushed for so long is emptied, which costs it little. */
export const changeKeptMs = minuteMs
/** A log of requests keeps each for an hour, and a request may take some minutes. */
export const namesKeptMs = 2 * hourMs
/** Readers add up the changes since the last time. */
const tallyFoldMs = 5_000
/** By then a rate that was halved has long grown back. */
export const rateKeptMs = 24 * hourMs

/** A confirmation that was not given in time stays for so long, so that `why` can tell. */
export const confirmationKeptMs = 30 * 24 * hourMs

/** A mail server may defer a mail for days, and a provider may report it later; both are told until then. */
export const sendKeptMs = 6 * 24 * hourMs

/** The jobs that recur, in one table. `folder` is the directory of export files, `auditKept` a duration. */
export function jobs(db: Db, clock: Clock, workspaces: Workspaces, folder: string, auditKept: string): Job[] {
  return [
    ...historyJobs(db, clock, workspaces),
    {
      name: 'dispatch.forget',
      everyMs: hourMs,
      run: (stopping) => forgetOrders(db, clock, workspaces.all(), stopping),
    },
    {
      name: 'entries.forget',
      everyMs: hourMs,
      run: (stopping) => forgetEntries(db, clock, workspaces.all(), stopping),
    },
    {
      name: 'audit.forget',
      everyMs: hourMs,
      run: (stopping) => forgetAudit(db, clock, auditKept, stopping),
    },
    { name: 'received.forget', everyMs: hourMs, run: (stopping) => forgetRefused(db, clock, stopping) },
    {
      name: 'changes.forget',
      everyMs: hourMs,
      run: () => dropWeeksBefore(db, clock.now() - changesKeptMs, CHANGES),
    },
    { name: 'flows.watch', everyMs: hourMs, run: () => updateWatchedOfAll(db, clock.now(), workspaces.all()) },
    { name: 'inbox.trim', everyMs: minuteMs, run: () => trimInbox(db, workspaces.all()) },
    { name: 'users.forgetFlushes', everyMs: minuteMs, run: () => deleteFlushes(db, clock.elapsed() - flushKeptMs) },
    { name: 'answers.forget', everyMs: minuteMs, run: () => deleteAnswers(db, clock.elapsed()) },
    {
      name: 'transactional.forget',
      everyMs: hourMs,
      run: () => deleteSends(db, clock.elapsed() - sendKeptMs),
    },
    ...feedJobs(db, clock, workspaces),
    { name: 'webhooks.forget', everyMs: hourMs, run: () => deleteExpiredWebhookTokens(db, clock.elapsed()) },
    ...signUpJobs(db, clock),
    { name: 'accounts.forgetSignIns', everyMs: hourMs, run: () => forgetSignIns(db, clock) },
    { name: 'exports.forget', everyMs: minuteMs, run: () => deleteExpiredExports(db, clock, folder) },
    {
      name: 'requests.forgetNames',
      everyMs: 10 * minuteMs,
      run: () => deleteDeletedNames(db, clock.elapsed() - namesKeptMs),
    },
    { name: 'tallies.fold', everyMs: tallyFoldMs, run: (stopping) => foldTallies(db, workspaces.all(), stopping) },
    { name: 'tallies.forget', everyMs: 24 * hourMs, run: () => forgetTallies(db, clock) },
    { name: 'traffic.keep', everyMs: hourMs, run: keepTraffic(db, clock) },
    { name: 'work.forget', everyMs: hourMs, run: () => forgetWork(db, clock, workspaces.all()) },
    {
      name: 'segments.measure',
      everyMs: minuteMs,
      run: (stopping) => recordDailySizes(db, clock, workspaces.all(), stopping),
    },
    { name: 'dispatch.forgetRates', everyMs: hourMs, run: () => deleteIdleRates(db, clock.now() - rateKeptMs) },
    { name: 'catalogs.clear', everyMs: minuteMs, run: (stopping) => cleanUpCatalogs(db, stopping) },
    { name: 'catalogs.fill', everyMs: minuteMs, run: (stopping) => fillSelections(db, stopping) },
    {
      name: 'users.forgetChanges',
      everyMs: minuteMs,
      run: () => deleteIdentityChanges(db, clock.elapsed() - changeKeptMs),
    },
  ]
}

/** The jobs about rows that are kept in tables of a week each. */
function historyJobs(db: Db, clock: Clock, workspaces: Workspaces): Job[] {
  return [
    { name: 'history.makeWeeks', everyMs: hourMs, run: () => ensureWeeks(db, clock.now()) },
    {
      name: 'history.forget',
      everyMs: hourMs,
      run: () => dropWeeksBefore(db, historyCutoffMs(workspaces, clock.now())),
    },
    {
      name: 'ledger.forget',
      everyMs: hourMs,
      run: () => dropWeeksBefore(db, ledgerCutoffMs(workspaces, clock.now()), LEDGER),
    },
  ]
}

/** The jobs about the feed and its webhooks. */
function feedJobs(db: Db, clock: Clock, workspaces: Workspaces): Job[] {
  return [
    { name: 'feed.forget', everyMs: hourMs, run: (stopping) => forgetEvents(db, clock, workspaces, stopping) },
    {
      name: 'webhooks.forgetAttempts',
      everyMs: hourMs,
      run: () => deleteAttemptsBefore(db, clock.elapsed() - attemptsKeptMs),
    },
  ]
}

/** The jobs about people who sign up. */
function signUpJobs(db: Db, clock: Clock): Job[] {
  return [
    {
      name: 'confirmations.forget',
      everyMs: hourMs,
      run: () => deleteExpired(db, clock.now() - confirmationKeptMs),
    },
    { name: 'signUps.forget', everyMs: hourMs, run: () => deleteOldSignUps(db, clock.elapsed() - signUpWindowMs) },
  ]
}
