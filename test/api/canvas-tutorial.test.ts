import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { weekStart } from '../../src/base/db/weeks.ts'
import { sizes } from '../sizes.ts'
import { drawDatabases, type Service, startService } from '../support/harness.ts'
import { blocksOf } from '../support/pages.ts'
import { many } from '../support/people.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/canvases.md'), 'utf8')
const file = blocksOf(page).find(({ kind }) => kind === 'yaml')!.text
const dayMs = 86_400_000
/** The next Mondays. They are near, because each week that a clock passes needs new partitions. */
const begin = new Date(weekStart(Date.now()) + 7 * dayMs + 10 * 3_600_000).toISOString()
const again = dayAfter(begin, 13 * 7)
const crowd = sizes.peopleInTutorial

const virtual = { env: { EASEL_CLOCK: 'virtual' } }

async function moveTo(service: Service, now: string): Promise<void> {
  await service.admin('POST', '/admin/clock', { now })
}

type Mail = { readonly subject: string; readonly at: string }

/** The mails of a person who signs up on a Monday and then does nothing, by day. */
const byDay: Readonly<Record<number, string>> = {
  0: 'Welcome, N',
  13: 'Shall we help?',
  34: 'A fifth off until the end',
  58: 'Goodbye, N',
}

async function signUp(service: Service, names: readonly string[], time: string): Promise<void> {
  await moveTo(service, time)
  const attributes = names.map((external_id) => {
    return { external_id, first_name: 'N', email: `${external_id}@example.com` }
  })
  const events = names.map((external_id) => ({ external_id, name: 'signed_up', time }))
  for (const body of [{ attributes }, { events }]) {
    const answer = await service.post('/users/track/bulk', body)
    assert.equal(answer.status, 201, answer.text)
  }
}

async function mailsSince(service: Service, since: string): Promise<Mail[]> {
  const mails: Mail[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const path = `/admin/inbox?limit=200&since=${since}${cursor && `&cursor=${cursor}`}`
    const { body } = await service.admin('GET', path)
    mails.push(...body.messages)
    cursor = body.cursor
  }
  return mails
}

/** Returns how many milliseconds something takes. */
async function timed(work: () => Promise<void>): Promise<number> {
  const from = performance.now()
  await work()
  return Math.round(performance.now() - from)
}

for (const database of drawDatabases('the tutorial of canvases')) {
  test(`in sixty days, in one move or day by day for ${crowd} people, each mail is sent on its day (${database})`, async (t) => {
    await using service = await startService({ ...virtual, database, workspace: parse(file) })
    await signUp(service, ['one'], begin)
    const atOnceMs = await timed(() => moveTo(service, dayAfter(begin, 60)))
    const days = (await mailsSince(service, begin)).map(({ subject, at }) => {
      return [Math.floor((Date.parse(at) - Date.parse(begin)) / dayMs), subject]
    })
    assert.deepEqual(Object.fromEntries(days), byDay)

    await signUp(
      service,
      many(crowd, (n) => `p${n}`),
      again,
    )
    let movingMs = 0
    for (let day = 0; day < 60; day++) {
      const [from, to] = [dayAfter(again, day), dayAfter(again, day + 1)]
      movingMs += await timed(() => moveTo(service, to))
      const subjects = (await mailsSince(service, from)).map(({ subject }) => subject)
      assert.deepEqual(subjects, day in byDay ? many(crowd, () => byDay[day]) : [], `day ${day}`)
    }
    t.diagnostic(`one person in ${atOnceMs} ms, ${crowd} people in ${movingMs} ms`)
  })
}

function dayAfter(begins: string, days: number): string {
  return new Date(Date.parse(begins) + days * dayMs).toISOString()
}
