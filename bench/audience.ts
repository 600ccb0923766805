import { performance } from 'node:perf_hooks'
import { countTrees } from '../src/audience/builder/count-audience.ts'
import { countPeople, pagePeople } from '../src/audience/conditions/select-people.ts'
import { childrenOf, type Leaf, type Tree } from '../src/audience/conditions/tree.ts'
import { systemClock } from '../src/base/clock.ts'
import type { Db } from '../src/base/db/db.ts'
import { sql } from '../src/base/db/sql.ts'
import { KeyedMutex } from '../src/base/work/keyed-mutex.ts'
import { getInstallation } from '../src/workspace/settings/installation-store.ts'
import { median } from './measure.ts'
import type { Population } from './people.ts'
import { profiled } from './profile.ts'
import type { Database, Figure } from './report.ts'

const loops = 5
const services = { keyedMutex: new KeyedMutex() }
/** People of the first page. */
const pageSize = 100
const groupId = 'bench-group'
const groupNumber = 999_998

const attribute = (name: string, test: Extract<Leaf, { kind: 'custom_attribute' }>['test']): Leaf => {
  return { kind: 'custom_attribute', path: [name], test }
}

/** Five typical segments, and one that only JavaScript can evaluate. */
export const typical: Readonly<Record<string, Tree>> = {
  'a plan': {
    all: [
      attribute('plan', { comparison: 'equals', text: 'gold' }),
      { kind: 'subscription_status', channel: 'email', is: false, state: 'unsubscribed' },
    ],
  },
  'a recent order': {
    all: [
      attribute('score', { comparison: 'greater_than_or_equal_to', number: 800 }),
      attribute('last_order', { comparison: 'less_than_x_days_ago', days: 7 }),
      attribute('plan', { comparison: 'not_equal', text: 'Free' }),
    ],
  },
  'tags or a city': {
    any: [
      attribute('tags', { comparison: 'includes_value', value: 'books' }),
      {
        all: [
          attribute('city', { comparison: 'equals', text: 'Oslo' }),
          { not: attribute('active', { comparison: 'equals', flag: true }) },
        ],
      },
    ],
  },
  'a group': {
    all: [
      { kind: 'subscription_group', subscription_group_id: groupId, state: 'subscribed' },
      { kind: 'standard_attribute', field: 'language', test: { comparison: 'equals', text: 'de' } },
    ],
  },
  'orders in two weeks': {
    all: [
      {
        kind: 'occurrences',
        what: { of: 'event', name: 'order_placed', days: 14, properties: [] },
        times: { comparison: 'greater_than_or_equal_to', number: 3 },
      },
      attribute('visits', { comparison: 'greater_than', number: 20 }),
    ],
  },
  'a pattern': {
    all: [
      attribute('plan', { comparison: 'equals', text: 'platinum' }),
      {
        kind: 'standard_attribute',
        field: 'email',
        test: { comparison: 'matches_regex', text: '7@example\\.(com|org)$' },
      },
    ],
  },
}

export function countName(segment: string): string {
  return `audience, ${segment}: count`
}

export function pageName(segment: string): string {
  return `audience, ${segment}: first page`
}

export function estimateName(segment: string): string {
  return `audience, ${segment}: estimate with its parts`
}

/** How long an estimate may take, in milliseconds. */
export const estimateMsMax = 150

export const scanName = 'bound: one scan of all people'

/** Measures counting each segment, estimating it and reading its first page, and a scan of one column of all people as the bound. */
export async function benchAudience(db: Db, database: Database, population: Population): Promise<Figure[]> {
  await addHistory(db, population)
  const { workspaceId, people, nowMs } = population
  const clock = { ...systemClock(), now: () => nowMs }
  const measure = async (what: string, ask: () => Promise<unknown>): Promise<Figure> => {
    const spent: number[] = []
    const before = process.cpuUsage()
    await profiled(what, process.pid, async () => {
      for (let i = 0; i < loops; i++) {
        const startedMs = performance.now()
        await ask()
        spent.push(performance.now() - startedMs)
      }
    })
    const { user, system } = process.cpuUsage(before)
    return { what, database, people, value: median(spent), unit: 'ms', nodeUs: (user + system) / loops }
  }
  const scan = sql`select count(*) from profile where workspace_id = ${workspaceId} and random_bucket >= 0`
  const figures = [await measure(scanName, () => db.transaction((tx) => tx.query(scan), { settings: ['jit = off'] }))]
  for (const [name, tree] of Object.entries(typical)) {
    figures.push(
      await measure(countName(name), () => countPeople(db, workspaceId, tree, nowMs)),
      await measure(estimateName(name), () => countTrees({ db, clock }, workspaceId, withParts(tree), false, services)),
      await measure(pageName(name), () => pagePeople(db, workspaceId, tree, nowMs, { limit: pageSize })),
    )
  }
  return figures
}

function withParts(tree: Tree): Tree[] {
  return [tree, ...('kind' in tree ? [] : childrenOf(tree))]
}

/** Inserts five orders for a fifth of the people, and group states for a third, half of those by address. */
export async function addHistory(db: Db, { workspaceId, nowMs, nameIds }: Population): Promise<void> {
  const { secret } = await getInstallation(db)
  const now = new Date(nowMs).toISOString()
  await db.query(sql`
    insert into subscription_group (group_id, workspace_id, id, name, channel, created_at)
    values (${groupNumber}, ${workspaceId}, ${groupId}, ${groupId}, 'email', ${now})`)
  await db.query(sql`
    insert into event (profile_id, time, bucket, name_id)
    select p.profile_id, ${now}::timestamptz - (p.random_bucket % 28 + n) * interval '1 day', p.bucket,
      ${nameIds.get('order_placed')!}::int4
    from profile p, generate_series(1, 5) n where p.random_bucket < 2000`)
  await db.query(sql`
    insert into membership (bucket, profile_id, group_id, state, stamp)
    select p.bucket, p.profile_id, ${groupNumber}::int4, 'subscribed', ${now}::timestamptz from profile p
    where p.random_bucket < 3333`)
  const text = sql`convert_to(${`${workspaceId}\u001femail\u001f`}::text || p.email, 'UTF8')`
  await db.query(sql`
    insert into address_state (bucket, workspace_id, kind, value, group_id, state, stamp)
    select (get_byte(sha256(${text}), 0) << 4) + (get_byte(sha256(${text}), 1) >> 4), ${workspaceId}::int4, 'email',
      encode(sha256(${secret}::bytea || ${text}), 'hex'), ${groupNumber}::int4, 'unsubscribed',
      ${now}::timestamptz + interval '1 second' from profile p where p.random_bucket < 1666 and p.email is not null`)
  await db.execute('checkpoint')
  await db.execute('vacuum (analyze)')
}
