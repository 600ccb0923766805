import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { sql } from '../../src/base/db/sql.ts'
import { startChaosProxy } from '../servers/chaos-proxy.ts'
import { testPostgres } from '../servers/postgres.ts'
import { drawDatabases } from '../support/harness.ts'
import { Mailed } from '../support/mailed-people.ts'
import { newEmail, newId } from '../support/people.ts'
import { placeFor } from '../support/table-rows.ts'

const browser = { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:133.0) Gecko/20100101 Firefox/133.0' }
const statementDeadlineMs = 30_000
// Far below the deadline of a statement, and far above what a busy machine needs.
const promptMs = 25_000

async function mailed(people: Mailed) {
  const external_id = newId()
  await people.set({ external_id, email: newEmail() })
  const named = await people.write(external_id, { links: ['https://example.com/'] })
  return {
    named,
    o: `/o/${people.token(named, 'open')}`,
    l: `/l/${people.token(named, 'link')}/0`,
    u: `/u/${people.token(named, 'unsubscribe')}`,
  }
}

test('while the database stalls, images are served at once, pages ask the client to try later, and no open or click is lost', async (t) => {
  const postgres = await testPostgres(t)
  if (!postgres) return
  const proxy = await startChaosProxy(await postgres.createDatabase(`tracking_${randomUUID()}`))
  const people = new Mailed()
  await people.start({ database: 'pglite', env: { DATABASE_URL: proxy.url }, statementDeadlineMs })
  t.after(async () => {
    proxy.pass()
    await people.stop()
    await proxy.close()
  })
  const { named, o, l, u } = await mailed(people)
  assert.equal((await people.page(l, browser)).status, 302)
  proxy.stall()
  for (const _ of [1, 2, 3]) {
    const startMs = performance.now()
    assert.equal((await people.page(o, browser)).headers['content-type'], 'image/gif')
    assert.ok(performance.now() - startMs < promptMs)
  }
  const unclicked = people.form(u, 'List-Unsubscribe=One-Click')
  const answers = await Promise.all([people.page(l, browser), people.page(u), unclicked])
  for (const { status, headers, text } of answers) {
    assert.equal(status, 503)
    assert.match(headers['retry-after'] ?? '', /^[1-9]\d*$/)
    assert.match(text, /<h1>Please try again<\/h1>/)
  }
  proxy.pass()
  for (let tries = 0; tries < 600; tries++) {
    const [rows] = await Promise.allSettled([people.engaged(named)])
    if (rows.status === 'fulfilled' && rows.value.length === 2) break
    await pause(100)
  }
  assert.deepEqual(
    (await people.engaged(named)).map(({ kind, count }) => `${kind} ${count}`),
    ['clicked 1', 'opened 3'],
  )
})

for (const database of drawDatabases('an open before a shutdown')) {
  test(`an open right before a shutdown is written (${database})`, async () => {
    await using place = await placeFor(database)
    const people = new Mailed()
    await people.start({ database: 'pglite', env: place.env })
    const { named, o } = await mailed(people)
    assert.equal((await people.page(o, browser)).status, 200)
    await people.stop()
    const db = await place.open()
    const rows = await db.query(sql`select kind from engagement where message_id = ${named.message_id}::int8`)
    await db.close()
    assert.deepEqual(rows, [{ kind: 'opened' }])
  })
}
