import { setAdminToken } from './accounts/keys/admin-token.ts'
import { takeAdminToken } from './accounts/keys/admin-token-file.ts'
import { createSessionCookie } from './accounts/sessions/cookies.ts'
import { openSignIn, type SignIn } from './accounts/sign-in/open.ts'
import { SessionAccess } from './accounts/sign-in/session-access.ts'
import { type Exports, openExports } from './audience/exports/open.ts'
import { recordSizesBefore } from './audience/segments/daily-sizes.ts'
import { isVirtual, syncClock } from './base/clock.ts'
import { backendOf } from './base/db/backends.ts'
import { readServerTime } from './base/db/server-time.ts'
import type { DueWork } from './base/work/due-work.ts'
import type { Job } from './base/work/jobs.ts'
import { KeyedMutex } from './base/work/keyed-mutex.ts'
import { addReadGauge } from './gauges.ts'
import { jobs } from './jobs.ts'
import { deliveryWork } from './messaging/delivery/due-work.ts'
import { openDelivery } from './messaging/delivery/open.ts'
import { type Expansion, openExpansion } from './messaging/expansion/open.ts'
import { type BounceListener, openBounceListener } from './messaging/feedback/bounce-listener.ts'
import { type EngagementQueue, openEngagementQueue } from './messaging/feedback/engagement-queue.ts'
import { unsubscribe } from './messaging/feedback/unsubscribe.ts'
import { type Journeys, openJourneys } from './messaging/journeys/open.ts'
import { openMakeAnew } from './messaging/lookup/make-anew.ts'
import { openAccountMailer } from './messaging/mail/account-mail.ts'
import { PreviewPages } from './messaging/previews/preview-pages.ts'
import { openTestMailer } from './messaging/previews/test-mailer.ts'
import { openAskConfirmation } from './messaging/sign-up/ask-confirmation.ts'
import { openStatuses, type Statuses } from './messaging/statuses/open.ts'
import { type Feed, openFeed } from './people/feed/open.ts'
import { unsubscribedPerson } from './people/intake/create-unsubscribed.ts'
import { applyFlush, lookUpPeople } from './people/intake/flush.ts'
import { isFlushCommitted } from './people/intake/flush-store.ts'
import { type Intake, openIntake } from './people/intake/intake.ts'
import { prepare } from './people/intake/prepare-request.ts'
import { namesOf } from './people/merge/forget-audited.ts'
import { countWaiting } from './people/merge/work-store.ts'
import { openWorkWorker, type WorkWorker } from './people/merge/worker.ts'
import { countSignals } from './people/signals/queue-store.ts'
import { openWebhooks, type Webhooks } from './people/webhooks/open.ts'
import { countSetAside } from './people/webhooks/state-store.ts'
import { checkRetention } from './retention.ts'
import { type CoreServices, type Delivery, type Services, workspaceFinder } from './services.ts'
import type { RunDue } from './workspace/clock/move-clock.ts'
import { runDueWork } from './workspace/clock/run-due-work.ts'
import type { ClockDone } from './workspace/clock/schema.ts'
import { recordDeletedNames } from './workspace/requests/deleted-names.ts'
import type { RequestLog } from './workspace/requests/request-log.ts'
import { Traffic } from './workspace/traffic/traffic.ts'

const minuteMs = 60_000
/** How often the data directory is looked at for a new admin token. */
const adminTokenMs = 2_000

export function startIntake(core: CoreServices): Intake {
  const { db, clock, log, hashAddress, configCache, identities, watched, metrics, newId, parseServiceId } = core
  const bisects = metrics.counter({
    name: 'easel_intake_bisects_total',
    help: 'Flushes that the database refused although every item had been accepted: a defect of Easel.',
  })
  const parts = {
    db,
    clock,
    identities,
    hashAddress,
    newId,
    parseServiceId,
    onWorkspaceVersion: (version: number) => configCache.noticed(version),
    watched,
    onSignals: () => core.wakeups.wake('signals'),
  }
  const intake = openIntake({
    clock,
    log,
    lookUp: (requests) => lookUpPeople(requests, parts),
    apply: (flush, progress) => applyFlush(flush, parts, progress),
    isCommitted: (flush_id) => isFlushCommitted(db, flush_id),
    onBisect: () => bisects.inc(),
  })
  metrics.gauge({
    name: 'easel_intake_waiting_updates',
    help: 'Accepted updates that wait for a flush.',
    collect() {
      this.set(intake.waiting())
    },
  })
  return intake
}

/** Counting stops here: a larger figure would say nothing more. */
const waitingItemsMax = 100_000

export function startWorker(core: CoreServices): WorkWorker {
  const { config, db, clock, log, poller, hashAddress, hashPerson, ownedRules, metrics, parseServiceId } = core
  const bisects = metrics.counter({
    name: 'easel_work_bisects_total',
    help: 'Batches of accepted work items that the database refused: a defect of Easel.',
  })
  const items = metrics.counter({
    name: 'easel_work_items_total',
    help: 'Accepted merges, deletions and identifications that were carried out, by outcome.',
    labelNames: ['kind', 'outcome'],
  })
  addReadGauge(core, () => countWaiting(db, waitingItemsMax), {
    name: 'easel_work_waiting_items',
    help: 'Accepted merges, deletions and identifications that wait.',
  })
  return openWorkWorker({
    db,
    clock,
    log,
    poller,
    hashAddress,
    hashPerson,
    ownedRules,
    parseServiceId,
    onDemandOnly: config.role === 'http',
    onFinished: (kind, outcome) => items.inc({ kind, outcome }),
    onBisect: () => bisects.inc(),
    recordDeleted(tx, deleted) {
      const people = deleted.map((one) => ({
        workspace_id: one.workspace_id,
        names: namesOf(one, core.formatServiceId),
      }))
      return recordDeletedNames(tx, people, clock.elapsed(), core.sealingKey)
    },
  })
}

export function startExports(core: CoreServices): Exports {
  const { config, metrics } = core
  const ended = metrics.counter({
    name: 'easel_exports_total',
    help: 'Exports of segments that have ended, by state.',
    labelNames: ['state'],
  })
  return openExports({
    ...core,
    writes: config.role !== 'http',
    onFinished: (state) => ended.inc({ state }),
  })
}

/** Tells what became of transactional sends. */
export function startStatuses(core: CoreServices): Statuses {
  return openStatuses({ ...core, works: core.config.role !== 'http' })
}

/** Gives the events of feeds their positions. */
export function startFeed(core: CoreServices): Feed {
  const events = core.metrics.counter({
    name: 'easel_feed_events_total',
    help: 'Events that readers of feeds can see since they were written.',
  })
  return openFeed({ ...core, works: core.config.role !== 'http', onNumbered: (count) => events.inc(count) })
}

/** Sends events to webhooks. */
export function startWebhooks(core: CoreServices): Webhooks {
  const attempts = core.metrics.counter({
    name: 'easel_webhook_attempts_total',
    help: 'Requests to webhooks, by outcome: delivered or failed.',
    labelNames: ['outcome'],
  })
  addReadGauge(core, () => countSetAside(core.db), {
    name: 'easel_webhooks_set_aside',
    help: 'Webhooks that are set aside until an administrator resumes them.',
  })
  return openWebhooks({
    ...core,
    works: core.config.role !== 'http',
    onAttempt: (outcome) => attempts.inc({ outcome }),
  })
}

export function startEngagements(core: CoreServices): EngagementQueue {
  const { workspaces, metrics } = core
  const lost = metrics.counter({
    name: 'easel_engagements_lost_total',
    help: 'Opens and clicks that could not be stored because the database was unavailable for too long.',
  })
  const switches = { opened: 'track_opens', clicked: 'track_clicks' } as const
  return openEngagementQueue({
    ...core,
    tracks: (workspace_id, kind) => workspaces.get(workspace_id).settings[switches[kind]],
    onLost: () => lost.inc(),
  })
}

export function startJourneys(core: CoreServices): Journeys {
  const { config, metrics } = core
  const moved = metrics.counter({
    name: 'easel_entries_moved_total',
    help: 'Entries that went on because their time had come.',
  })
  const setAside = metrics.counter({
    name: 'easel_signals_set_aside_total',
    help: 'Signals that could not be processed: a defect of Easel.',
  })
  const handled = metrics.counter({
    name: 'easel_signals_total',
    help: 'Signals that were processed.',
  })
  addReadGauge(core, () => countSignals(core.db, waitingItemsMax), {
    name: 'easel_signals_waiting',
    help: 'Signals that wait.',
  })
  return openJourneys({
    ...core,
    works: config.role !== 'http',
    onEntriesMoved: (count) => moved.inc(count),
    onHandled: (count) => handled.inc(count),
    onSetAside: () => setAside.inc(),
  })
}

/** Delivers the messages that are queued. Undefined in a process that does not work. */
export function startDelivery(core: CoreServices): Delivery | undefined {
  const { config, wakeups } = core
  if (config.role === 'http') return undefined
  const deliverer = openDelivery(core)
  wakeups.on('delivery', deliverer.wake)
  return {
    dueWork: deliveryWork(deliverer),
    failing: () => (deliverer.failing() ? [deliverer.name] : []),
    trouble: deliverer.trouble,
    inFlight: deliverer.inFlight,
    close: deliverer.close,
  }
}

/** Makes orders of recurring schedules, and messages or entries of slots. Undefined in a process that does not work. */
export function startExpansion(core: CoreServices): Expansion | undefined {
  if (core.config.role === 'http') return undefined
  return openExpansion(core)
}

/** Does what falls due while a virtual clock is moved. */
function dueWorkRunner({ db, clock, workspaces, metrics }: CoreServices, works: readonly DueWork[]): RunDue {
  const services = {
    db,
    works,
    // The sizes of segments are stored for each day before the clock leaves it.
    onLeave: (untilMs: number) => recordSizesBefore(db, clock, workspaces.all(), untilMs),
  }
  return async (_call, untilMs) => {
    if (!isVirtual(clock)) throw new Error('only a virtual clock is moved')
    const before = await readDone(metrics)
    const moved = await runDueWork(services, clock, untilMs)
    return { ...moved, done: doneSince(before, await readDone(metrics)) }
  }
}

type Done = { readonly messages: ReadonlyMap<string, number>; readonly entries: number }

async function readDone(metrics: CoreServices['metrics']): Promise<Done> {
  const messages = await metrics.read('easel_messages_total', 'reason')
  return { messages, entries: (await metrics.read('easel_entries_moved_total')).get('') ?? 0 }
}

/** Returns what was done between two readings: how many messages ended by reason, and how many entries went on. */
function doneSince(before: Done, after: Done): ClockDone {
  const ended = [...after.messages].map(
    ([reason, count]) => [reason, count - (before.messages.get(reason) ?? 0)] as const,
  )
  return {
    messages: Object.fromEntries(ended.filter(([, count]) => count > 0)),
    entries_moved: after.entries - before.entries,
  }
}

/** Receives returned mail. Undefined without a port, and in a process that does not work. */
export async function startListener(core: CoreServices): Promise<BounceListener | undefined> {
  const { config, db } = core
  const { host, bounceSmtpPort: port, bounceDomain: domain, role } = config
  if (port === undefined || domain === undefined || role === 'http') return undefined
  return openBounceListener({ ...core, host, port, domain, unsubscribe: (named) => unsubscribe(db, core, named) })
}

/** Opens sign-in. The process that gets the request mails the link, whether it runs workers or not. */
export function startSignIn(core: CoreServices): SignIn {
  const { config, workspaces } = core
  const {
    mailFrom,
    smtpUrl,
    bounceDomain,
    oidcIssuer: issuer,
    oidcClientId: clientId,
    oidcClientSecret: clientSecret,
  } = config
  const emailVerified = config.oidcEmailVerified
  const workspaceId = () => workspaces.default().workspace_id
  const notices = openAccountMailer({ ...core, mailFrom, smtpUrl, bounceDomain, workspaceId })
  const signIn = openSignIn({
    ...core,
    secret: core.sealingKey,
    provider: issuer && clientId && clientSecret ? { issuer, clientId, clientSecret, emailVerified } : undefined,
    workspaceId,
    sendNotice: (notice) => notices.send(notice),
  })
  return {
    ...signIn,
    async close() {
      await signIn.close()
      await notices.close()
    },
  }
}

/** Starts the workers, each after those it needs. They are closed with `opened`, the last one first. Returns what routes and pages use. */
export function startWorkers(core: CoreServices, opened: AsyncDisposableStack): Services {
  const { config, db, clock, identities } = core
  const closing = <T extends { close(): Promise<unknown> }>(worker: T): T => {
    opened.defer(async () => void (await worker.close()))
    return worker
  }
  const journeys = closing(startJourneys(core))
  const intake = closing(startIntake(core))
  const worker = closing(startWorker(core))
  const exports = closing(startExports(core))
  const statuses = closing(startStatuses(core))
  const feed = closing(startFeed(core))
  const webhooks = closing(startWebhooks(core))
  const engagements = closing(startEngagements(core))
  const traffic = closing(new Traffic({ db, clock, log: core.log, findWorkspace: workspaceFinder(core.workspaces) }))
  const delivery = startDelivery(core)
  if (delivery) closing(delivery)
  const expansion = startExpansion(core)
  if (expansion) closing(expansion)
  const dueWorks = [journeys.dueWork, expansion?.dueWork, delivery?.dueWork].filter((work) => work !== undefined)
  const signIn = closing(startSignIn(core))
  const testMailer = closing(openTestMailer(core))
  return {
    ...core,
    ...{
      feed,
      webhooks,
      intake,
      worker,
      exports,
      statuses,
      engagements,
      traffic,
      journeys,
      delivery,
      expansion,
      signIn,
    },
    ...{ dueWorks, runDue: dueWorkRunner(core, dueWorks) },
    sessionAccess: new SessionAccess(db, clock, createSessionCookie(config.publicUrl).name),
    keyedMutex: new KeyedMutex(),
    previewPages: new PreviewPages(clock),
    testMailer,
    makeAnew: openMakeAnew({
      ...core,
      ...(config.bounceDomain !== undefined && { bounceDomain: config.bounceDomain }),
    }),
    sizes: { batchMax: config.batchMax, batchMaxPerArray: config.batchMaxPerArray ?? null, perPersonMax: null },
    async applyStates(workspace_id, states, allOrNothing) {
      const items = { ...states, events: [], purchases: [], allOrNothing }
      return (await intake.submit(prepare(db, workspace_id, items, identities))).unmatched
    },
    async createPerson(workspace_id, address) {
      const items = { attributes: [unsubscribedPerson(address)], events: [], purchases: [] }
      await intake.submit(prepare(db, workspace_id, items, identities))
    },
    askConfirmation: openAskConfirmation(core),
  }
}

/** Returns the jobs of this process. Every process follows the clock of a database that it shares with others. */
export function jobsOf(core: CoreServices): Job[] {
  const { config, db, clock, workspaces, folder, backups } = core
  const { auditRetention: auditKept } = config
  const own =
    config.role === 'http'
      ? []
      : [...jobs(db, clock, workspaces, folder, auditKept), checkRetention({ ...core, auditKept })]
  own.push({ name: 'requests.forget', everyMs: minuteMs, run: () => forgetRequests(core.requestLog) })
  own.push({ name: 'backups.daily', everyMs: 10 * minuteMs, run: (stopping) => backups.keepDaily(stopping) })
  if (config.databaseUrl === undefined && config.dataDir !== 'memory') own.push(takeAdminTokens(core))
  if (!backendOf(db).hasClock) return own
  return [...own, { name: 'clock.follow', everyMs: minuteMs, run: () => syncClock(clock, () => readServerTime(db)) }]
}

async function forgetRequests(requestLog: RequestLog): Promise<void> {
  requestLog.expire()
  await requestLog.catchUp()
}

/** Takes an admin token that `easel keys reset-admin` has left, and returns to it when the old one is refused. */
function takeAdminTokens({ config, db, clock, configCache }: CoreServices): Job {
  const take = (hash: Buffer) => configCache.refreshAfter(setAdminToken(db, clock, hash))
  return { name: 'keys.takeAdminToken', everyMs: adminTokenMs, run: () => takeAdminToken(config.dataDir, take) }
}
