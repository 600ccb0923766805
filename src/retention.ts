import { daysKept as sizesKeptDays } from './audience/segments/daily-sizes.ts'
import type { Clock } from './base/clock.ts'
import type { Db } from './base/db/db.ts'
import { countOverdueRows, countRowsAbove, type Overdue } from './base/db/overdue-store.ts'
import type { Metrics } from './base/http/metrics.ts'
import type { Job } from './base/work/jobs.ts'
import { changeKeptMs, confirmationKeptMs, flushKeptMs, namesKeptMs, rateKeptMs, sendKeptMs } from './jobs.ts'
import { inboxMailsMax } from './messaging/inbox/schema.ts'
import { refusedKeptMs } from './messaging/journeys/forget-entries.ts'
import { windowMs as signUpWindowMs } from './messaging/sign-up/limit-sign-ups.ts'
import { workKeptMs } from './people/merge/forget-work.ts'
import { changesKeptMs } from './people/profile/change-store.ts'
import { attemptsKeptMs } from './people/webhooks/attempt-rule.ts'
import { accessKept, refusalKept } from './workspace/audit/forget.ts'
import { timeBefore } from './workspace/settings/duration.ts'
import { historyCutoffMs, ledgerCutoffMs } from './workspace/settings/retention.ts'
import type { Workspace, Workspaces } from './workspace/settings/workspaces.ts'
import { neverDeleted, talliesKeptMs } from './workspace/tallies/keep-tallies.ts'
import { hoursKeptMs, minutesKeptMs } from './workspace/traffic/keep-traffic.ts'

const minuteMs = 60_000
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs
/** Partitions are dropped when their last row is old enough. */
const weekMs = 7 * dayMs

export type RetentionState = {
  readonly workspaces: Workspaces
  /** `EASEL_AUDIT_RETENTION`. */
  readonly auditKept: string
  /** Business time. */
  readonly nowMs: number
  /** Machine time. */
  readonly machineMs: number
}

/** What is kept for a limited time. */
export type RetentionRule = {
  /** The label of the metric. */
  readonly data: string
  /** How long it is kept, for people. */
  readonly kept: string
  /** The job that deletes it. */
  readonly job: string
  /** How much later than that the job may delete it. */
  readonly lateMs?: number
  /** Rows that should not be there. */
  overdue(state: RetentionState): readonly Overdue[]
}

/** A job that runs each hour may have failed once. */
const usualLateMs = 3 * hourMs

/**
 * Everything that is not kept forever and has a time. What belongs to a person is kept as long as the person. docs/operations.md has the
 * same table, and tests prove each row.
 */
export const retentionRules: readonly RetentionRule[] = [
  {
    data: 'events and purchases',
    kept: '`settings.event_retention`, the longest of all workspaces, and up to a week more',
    job: 'history.forget',
    overdue: ({ workspaces, nowMs }) => {
      const beforeMs = historyCutoffMs(workspaces, nowMs) - weekMs
      return ['event', 'purchase'].map((table) => ({ table, column: 'time', beforeMs }))
    },
  },
  {
    data: 'decisions',
    kept: '`settings.ledger_retention`, the longest of all workspaces, and up to a week more',
    job: 'ledger.forget',
    overdue: ({ workspaces, nowMs }) => [
      { table: 'decision', column: 'time', beforeMs: ledgerCutoffMs(workspaces, nowMs) - weekMs },
    ],
  },
  {
    data: 'dispatches and their messages',
    kept: '`settings.ledger_retention` of the workspace, after the last message has ended',
    job: 'dispatch.forget',
    overdue: (state) =>
      ofEach(state, (workspace_id, beforeMs) => ({
        ...{ table: 'dispatch d', column: 'created_at', beforeMs },
        where: `workspace_id = ${workspace_id} and ${hasNothingLater(beforeMs)}`,
      })),
  },
  {
    data: 'entries and their messages',
    kept: '`settings.ledger_retention` of the workspace, after the entry has ended',
    job: 'entries.forget',
    overdue: (state) =>
      ofEach(state, (workspace_id, beforeMs) => ({
        ...{ table: 'entry e', column: 'ended_at', beforeMs },
        where: `workspace_id = ${workspace_id} and state = 'ended' and not exists (
          select 1 from message m where m.bucket = e.bucket and m.cause = e.entry_id and m.ended_at is null)`,
      })),
  },
  {
    data: 'refused entries',
    kept: 'two days, for people who never entered',
    job: 'received.forget',
    overdue: ({ nowMs }) => [
      {
        ...{ table: 'received', column: 'refused_at', beforeMs: nowMs - refusedKeptMs },
        where: 'entries = 0 and last_received_at is null',
      },
    ],
  },
  {
    data: 'changes of attributes',
    kept: '90 days, and up to a week more',
    job: 'changes.forget',
    overdue: ({ nowMs }) => [{ table: 'attribute_change', column: 'time', beforeMs: nowMs - changesKeptMs - weekMs }],
  },
  {
    data: 'events of the feed',
    kept: '`settings.feed_retention` of the workspace',
    job: 'feed.forget',
    overdue: ({ workspaces, nowMs }) =>
      workspaces.all().map(({ workspace_id, settings }) => ({
        ...{ table: 'feed_event', column: 'time', beforeMs: timeBefore(nowMs, settings.feed_retention) },
        where: `workspace_id = ${workspace_id} and position is not null`,
      })),
  },
  {
    data: 'attempts of webhooks',
    kept: 'a week, and at most 200 of each webhook',
    job: 'webhooks.forgetAttempts',
    overdue: ({ machineMs }) => [{ table: 'webhook_attempt', column: 'at', beforeMs: machineMs - attemptsKeptMs }],
  },
  {
    data: 'merges and deletions',
    kept: '30 days after they are done',
    job: 'work.forget',
    overdue: ({ nowMs }) => [
      { table: 'work', column: 'accepted_at', beforeMs: nowMs - workKeptMs, where: `state = 'done'` },
    ],
  },
  {
    data: 'audit of changes',
    kept: '`EASEL_AUDIT_RETENTION`',
    job: 'audit.forget',
    overdue: (state) => [auditBefore(state, 'change', state.auditKept)],
  },
  {
    data: 'audit of accesses',
    kept: '90 days, and at most 500,000',
    job: 'audit.forget',
    overdue: (state) => [auditBefore(state, 'access', accessKept)],
  },
  {
    data: 'audit of refusals',
    kept: '30 days, and at most 100,000',
    job: 'audit.forget',
    overdue: (state) => [auditBefore(state, 'refusal', refusalKept)],
  },
  {
    data: 'exports',
    kept: 'four hours after they are written, with their files',
    job: 'exports.forget',
    overdue: ({ machineMs }) => [{ table: 'segment_export', column: 'expires_at', beforeMs: machineMs }],
  },
  {
    data: 'sessions',
    kept: 'until they expire',
    job: 'accounts.forgetSignIns',
    overdue: ({ machineMs }) => [{ table: 'session', column: 'expires_at', beforeMs: machineMs }],
  },
  {
    data: 'links to sign in',
    kept: 'until they expire',
    job: 'accounts.forgetSignIns',
    overdue: ({ machineMs }) => [{ table: 'sign_in_link', column: 'expires_at', beforeMs: machineMs }],
  },
  {
    data: 'confirmations that were not given',
    kept: '30 days after they could be given',
    job: 'confirmations.forget',
    overdue: ({ nowMs }) => [
      {
        ...{ table: 'confirmation', column: 'expires_at', beforeMs: nowMs - confirmationKeptMs },
        where: 'confirmed_at is null',
      },
    ],
  },
  {
    data: 'counts of sign-ups',
    kept: 'an hour',
    job: 'signUps.forget',
    overdue: ({ machineMs }) => [
      { table: 'sign_up_attempt', column: 'began_at', beforeMs: machineMs - signUpWindowMs },
    ],
  },
  {
    data: 'attempts to sign in',
    kept: '15 minutes',
    job: 'accounts.forgetSignIns',
    overdue: ({ machineMs }) => [{ table: 'sign_in_attempt', column: 'began_at', beforeMs: machineMs }],
  },
  {
    data: 'answers to requests with an idempotency key',
    kept: 'a day',
    job: 'answers.forget',
    overdue: ({ machineMs }) => [{ table: 'idempotency', column: 'expires_at', beforeMs: machineMs }],
  },
  {
    data: 'states of transactional sends',
    kept: 'a week',
    job: 'transactional.forget',
    overdue: ({ machineMs }) => [
      { table: 'transactional_send', column: 'expires_at', beforeMs: machineMs - sendKeptMs },
    ],
  },
  {
    data: 'tokens of webhooks',
    kept: 'until they expire',
    job: 'webhooks.forget',
    overdue: ({ machineMs }) => [{ table: 'webhook_token', column: 'expires_at', beforeMs: machineMs }],
  },
  {
    data: 'names that logs must forget',
    kept: 'two hours',
    job: 'requests.forgetNames',
    overdue: ({ machineMs }) => [{ table: 'deleted_names', column: 'at', beforeMs: machineMs - namesKeptMs }],
  },
  {
    data: 'tallies',
    kept: 'three years, and who is active in a month forever',
    job: 'tallies.forget',
    lateMs: 26 * hourMs,
    overdue: ({ nowMs }) => [
      {
        ...{ table: 'tally', column: 'slot', beforeMs: nowMs - talliesKeptMs },
        where: `not starts_with(subject, '${neverDeleted} ')`,
      },
    ],
  },
  {
    data: 'counts of requests by minute',
    kept: 'two days',
    job: 'traffic.keep',
    overdue: ({ machineMs }) => [{ table: 'traffic_minute', column: 'minute', beforeMs: machineMs - minutesKeptMs }],
  },
  {
    data: 'counts of requests by hour',
    kept: '90 days',
    job: 'traffic.keep',
    overdue: ({ machineMs }) => [{ table: 'traffic_hour', column: 'hour', beforeMs: machineMs - hoursKeptMs }],
  },
  {
    data: 'daily sizes of segments',
    kept: 'two years',
    job: 'segments.measure',
    // Days are those of the time zone of the workspace.
    lateMs: 2 * dayMs,
    overdue: ({ nowMs }) => [{ table: 'segment_size', column: 'day', beforeMs: nowMs - sizesKeptDays * dayMs }],
  },
  {
    data: 'rates of mail servers',
    kept: 'a day after their last use',
    job: 'dispatch.forgetRates',
    overdue: ({ nowMs }) => {
      const beforeMs = nowMs - rateKeptMs
      return [{ table: 'send_rate', column: 'greatest(free_at, slowed_at)', beforeMs }]
    },
  },
  {
    data: 'ids of flushes',
    kept: 'ten minutes',
    job: 'users.forgetFlushes',
    overdue: ({ machineMs }) => [{ table: 'flush', column: 'at', beforeMs: machineMs - flushKeptMs }],
  },
  {
    data: 'changes of identities',
    kept: 'a minute',
    job: 'users.forgetChanges',
    overdue: ({ machineMs }) => [{ table: 'identity_change', column: 'at', beforeMs: machineMs - changeKeptMs }],
  },
]

/** The mails of the inbox have no time but a number. */
export const inboxRule = {
  data: 'messages in the inbox',
  kept: `the newest ${inboxMailsMax.toLocaleString('en')} of each workspace, and at most 256 MB`,
  job: 'inbox.trim',
} as const

/** More than what a minute brings. */
const inboxExcessMax = 20_000

function ofEach(
  { workspaces, nowMs }: RetentionState,
  overdue: (workspace_id: number, beforeMs: number) => Overdue,
): readonly Overdue[] {
  return workspaces
    .all()
    .map(({ workspace_id, settings }: Workspace) => overdue(workspace_id, timeBefore(nowMs, settings.ledger_retention)))
}

function auditBefore({ nowMs }: RetentionState, kind: string, kept: string): Overdue {
  return { table: 'audit', column: 'time', beforeMs: timeBefore(nowMs, kept), where: `kind = '${kind}'` }
}

/** A dispatch stays while it has a slot that is due later, or a message or an entry that is open or ended later. */
function hasNothingLater(beforeMs: number): string {
  const at = `'${new Date(beforeMs).toISOString()}'`
  return `not exists (select 1 from dispatch_slot s where s.dispatch_id = d.dispatch_id and s.state in ('waiting', 'held', 'running'))
    and not exists (select 1 from message m where m.cause = d.dispatch_id and (m.ended_at is null or m.ended_at >= ${at}))
    and not exists (select 1 from entry e where e.dispatch_id = d.dispatch_id)`
}

/** Counts what is kept for too long, by the name of the data. */
export async function countOverdue(db: Db, state: RetentionState): Promise<ReadonlyMap<string, number>> {
  const found = new Map<string, number>()
  for (const { data, lateMs = usualLateMs, overdue } of retentionRules) {
    let rows = 0
    for (const one of overdue(state)) rows += await countOverdueRows(db, { ...one, beforeMs: one.beforeMs - lateMs })
    found.set(data, rows)
  }
  let mails = 0
  for (const { workspace_id } of state.workspaces.all())
    mails += await countRowsAbove(db, 'inbox', workspace_id, inboxMailsMax + inboxExcessMax)
  return found.set(inboxRule.data, mails)
}

export type RetentionServices = {
  readonly db: Db
  readonly clock: Clock
  readonly workspaces: Workspaces
  readonly metrics: Metrics
  /** `EASEL_AUDIT_RETENTION`. */
  readonly auditKept: string
}

/** Returns the job that proves that nothing is kept for too long. */
export function checkRetention({ db, clock, workspaces, metrics, auditKept }: RetentionServices): Job {
  const gauge = metrics.gauge({
    name: 'easel_retention_overdue_rows',
    help: 'Rows that should have been deleted hours ago, by what they are; at most 1,000. Anything but 0 is a defect.',
    labelNames: ['data'],
  })
  // Every series is there from the start.
  for (const { data } of [...retentionRules, inboxRule]) gauge.set({ data }, 0)
  return {
    name: 'retention.check',
    everyMs: hourMs,
    // A start is busy enough, and until then the jobs have deleted what became old while nothing ran.
    startsAfterMs: 10 * minuteMs,
    async run() {
      const state = { workspaces, auditKept, nowMs: clock.now(), machineMs: clock.elapsed() }
      for (const [data, rows] of await countOverdue(db, state)) gauge.set({ data }, rows)
    },
  }
}
