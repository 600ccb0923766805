import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { parse } from 'yaml'
import { weekStart } from '../../src/base/db/weeks.ts'
import { sizes } from '../sizes.ts'
import { folderWith, keysOf } from '../support/command-line.ts'
import { databases, type Service, startService } from '../support/harness.ts'
import { many } from '../support/people.ts'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'docs/canvases.md'), 'utf8')
const blocks = [...page.matchAll(/```(sh|json|text|yaml)\n([\s\S]*?)```/g)].map(([, kind, text]) => ({
  kind,
  text: text!,
}))
const file = blocks.find(({ kind }) => kind === 'yaml')!.text
const address = 'http://127.0.0.1:8080'
const dayMs = 86_400_000
/** The next Mondays. They are near, because each week that a clock passes needs new partitions. */
const begin = new Date(weekStart(Date.now()) + 7 * dayMs + 10 * 3_600_000).toISOString()
const again = dayAfter(begin, 13 * 7)
const crowd = sizes.peopleInTutorial

const virtual = { env: { EASEL_CLOCK: 'virtual' } }

/** Moves the clock to this time. One move covers at most 400 days. */
async function moveTo(service: Service, now: string): Promise<void> {
  for (let reached = ''; reached.slice(0, 19) !== now.slice(0, 19); ) {
    reached = (await service.admin('POST', '/admin/clock', { now })).body.now
  }
}

test('the snippets of the tutorial, copied from the page, return what it prints', async (t) => {
  await using service = await startService(virtual)
  using folder = folderWith({ 'trial.yaml': file })
  await moveTo(service, '2028-12-31T00:00:00Z')
  const keys = keysOf(service)
  const env = { ...keys, KEY: service.apiKey, ADMIN: service.adminToken, PATH: process.env.PATH }
  const cli = `npm() { shift 4; ${process.execPath} ${join(root, 'cli/main.ts')} "$@"; }\n`
  const shell = spawn('bash', [], {
    cwd: folder.path('.'),
    env: env as NodeJS.ProcessEnv,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  t.after(() => shell.kill())
  shell.stdin.write(cli)
  let printed = ''
  shell.stdout.setEncoding('utf8').on('data', (text) => {
    printed += text
  })
  const run = async (text: string): Promise<string> => {
    printed = ''
    shell.stdin.write(`${text.replaceAll(address, service.url)}\nprintf '\\n\\1\\n'\n`)
    while (!printed.endsWith('\u0001\n')) await new Promise((resolve) => shell.stdout.once('data', resolve))
    return printed.slice(0, -2).trim()
  }
  let answers = 0
  for (const [i, { kind, text }] of blocks.entries()) {
    if (kind !== 'sh') continue
    const out = await run(text)
    const expected = blocks[i + 1]
    if (expected?.kind !== 'json' && expected?.kind !== 'text') continue
    assert.equal(out, expected.text.trim(), text)
    answers++
  }
  assert.equal(answers, 10)
})

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

for (const database of databases) {
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
