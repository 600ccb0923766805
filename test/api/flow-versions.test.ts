import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { versionsPage } from '../../src/messaging/inspect/schema.ts'
import { canvas, message } from '../support/canvases.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { sendingWorkspace } from '../support/messages.ts'
import { type Item, newId, purchase } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const wait = { id: 'wait', type: 'delay', for: 'P3D' }
const secret = (value: string) => ({
  ...{ id: 'call', type: 'webhook', url: 'https://hooks.example.com/x', method: 'POST' },
  headers: { Authorization: `Bearer ${value}` },
  next: 'wait',
})
const outlined = (id: string, kind: string, sentence: string, next: string | null) => {
  return { ...{ id, name: id, kind, sentence }, paths: [{ name: '', words: '', next }] }
}
const conversions = [{ name: 'Primary Conversion Event - A', on: { purchase: 'any' }, within: 'P7D' }]

for (const database of drawDatabases('flow-versions')) {
  describe(`the versions of a canvas (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })
    const ask = (path: string) => people.service.get(path, { key: people.service.adminToken })
    const read = async (path: string): Promise<Any> =>
      (await people.service.admin('GET', `/admin/canvases/${path}`)).body

    async function make(...versions: Item[]): Promise<string> {
      const id = newId('versions')
      await people.service.admin('POST', '/admin/canvases', { ...canvas(id, [wait]), ...versions[0] })
      for (const each of versions.slice(1)) await people.service.admin('PATCH', `/admin/canvases/${id}`, each)
      return id
    }

    async function trigger(id: string, external_user_id: string): Promise<void> {
      const body = { canvas_id: id, recipients: [{ external_user_id }] }
      const answer = await people.send('/canvas/trigger/send', body)
      assert.equal(answer.status, 201, answer.text)
      await people.service.advance('PT1S')
    }

    async function newPerson(): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com` })
      return external_id
    }

    test('versions are listed with their authors and their people', async () => {
      const id = await make({ steps: [message('hello', 'wait'), wait], first: 'hello' })
      await trigger(id, await newPerson())
      await people.service.admin('PATCH', `/admin/canvases/${id}`, { name: newId('renamed') })
      await people.service.admin('PATCH', `/admin/canvases/${id}`, { steps: [message('hello', 'wait', 'Ho'), wait] })
      await trigger(id, await newPerson())
      await trigger(id, await newPerson())
      const { versions, next_before } = await read(`${id}/versions`)
      assert.deepEqual(
        versions.map(({ version, people: there, author }: Any) => [version, there, author.kind]),
        [
          [2, 2, 'admin'],
          [1, 1, 'admin'],
        ],
      )
      assert.equal(next_before, null)
      assert.match(versions[0].created_at, /^\d{4}-/)
    })

    test('a version tells what differs from the one before', async () => {
      const hello = message('hello', 'wait', 'Hi')
      const id = await make(
        { steps: [hello, wait], first: 'hello' },
        { steps: [message('hello', 'wait', 'Ho'), { ...wait, next: 'bye' }, message('bye')] },
      )
      const first = await read(`${id}/versions/1`)
      assert.deepEqual([first.compared_with, first.changes, first.has_more_changes], [null, [], false])
      assert.equal(first.definition.steps[0].message.subject, 'Hi')
      const second = await read(`${id}/versions/2`)
      assert.deepEqual([second.version.version, second.compared_with], [2, 1])
      assert.deepEqual(second.changes, [
        'Step "bye" was added',
        'Subject of "hello" changed from "Hi" to "Ho"',
        'Next step of "wait" was added: "bye"',
      ])
      assert.equal((await read(`${id}`)).canvas.steps.length, second.definition.steps.length)
      assert.deepEqual(second.outline, {
        sentence: 'People enter when the API says so, as often as that happens.',
        starts: [{ name: second.outline.starts[0].name, words: '100%', next: 'hello' }],
        steps: [
          outlined('hello', 'message', 'Sends the e-mail "Ho".', 'wait'),
          outlined('wait', 'delay', 'Waits 3 days.', 'bye'),
          outlined('bye', 'message', 'Sends the e-mail "bye".', null),
        ],
      })
    })

    test('a version is compared with any other one, and equal ones do not differ', async () => {
      const [three, four] = [{ steps: [{ ...wait, for: 'P4D' }] }, { steps: [wait] }]
      const id = await make({}, { steps: [{ ...wait, for: 'P5D' }] }, three, four)
      const third = await read(`${id}/versions/3?compared_with=1`)
      assert.deepEqual([third.compared_with, third.changes], [1, ['Delay of "wait" changed from "P3D" to "P4D"']])
      const back = await read(`${id}/versions/1?compared_with=3`)
      assert.deepEqual([back.compared_with, back.changes], [3, ['Delay of "wait" changed from "P4D" to "P3D"']])
      const equal = await read(`${id}/versions/4?compared_with=1`)
      assert.deepEqual([equal.compared_with, equal.changes], [1, []])
      for (const [other, message] of [
        ['5', "'compared_with' must be an integer from 1 to 4"],
        ['x', "'compared_with' must be an integer from 1 to 2147483647"],
      ]) {
        const refused = await ask(`/admin/canvases/${id}/versions/4?compared_with=${other}`)
        assert.deepEqual([refused.status, refused.body.message], [400, message])
      }
    })

    test('secrets stay hidden', async () => {
      const id = await make(
        { steps: [secret('s3cret-one'), wait], first: 'call' },
        { steps: [secret('s3cret-two'), wait], first: 'call' },
      )
      const answer = await ask(`/admin/canvases/${id}/versions/2`)
      assert.deepEqual((answer.body as Any).changes, ['A secret header changed'])
      assert.doesNotMatch(answer.text, /s3cret/)
    })

    for (const count of [versionsPage - 1, versionsPage, versionsPage + 1]) {
      test(`pages of ${count} versions have each once`, async () => {
        const id = await make({})
        await people.db.query(sql`
          insert into flow_version (flow_id, version, definition, created_at)
          select v.flow_id, n, v.definition, v.created_at from flow f join flow_version v on v.flow_id = f.flow_id
            cross join generate_series(2, ${count}::int4) n
          where f.id = ${id}`)
        await people.db.query(sql`update flow set version = ${count} where id = ${id}`)
        const first = await read(`${id}/versions`)
        const next =
          first.next_before === null ? [] : (await read(`${id}/versions?before=${first.next_before}`)).versions
        const numbers = [...first.versions, ...next].map(({ version }: Any) => version)
        assert.deepEqual(
          numbers,
          Array.from({ length: count }, (_, i) => count - i),
        )
        assert.equal(first.versions.length, Math.min(count, versionsPage))
      })
    }

    test('conversions have an interval for each variant', async () => {
      const id = await make({
        ...{ steps: [message('hello', 'wait'), wait], conversions },
        first: undefined,
        variants: [
          { name: 'A', percent: 100, first: 'hello' },
          { name: 'B', percent: 0, first: 'wait' },
        ],
      })
      const [buyer, other] = [await newPerson(), await newPerson()]
      await trigger(id, buyer)
      await trigger(id, other)
      const time = (await people.service.admin('GET', '/admin/clock')).body.now
      await people.accept({ purchases: [purchase({ external_id: buyer }, { time })] })
      await people.service.advance('PT1S')
      const { conversions: found } = await read(`${id}/conversions`)
      const [{ name, sentence, all, variants }] = found
      assert.equal(sentence, 'People convert when they buy within 1 week after a message of the canvas.')
      assert.deepEqual([name, all.entered, all.converted, all.rate], ['Primary Conversion Event - A', 2, 1, 0.5])
      assert.deepEqual(
        variants.map((each: Any) => [each.name, each.entered, each.converted, each.rate]),
        [
          ['A', 2, 1, 0.5],
          ['B', 0, 0, null],
        ],
      )
      assert.ok(all.low > 0.09 && all.high < 0.91, JSON.stringify(all))
    })

    test('what does not exist is not found, and a wrong number is refused', async () => {
      const id = await make({})
      for (const path of [
        'nowhere/versions',
        'nowhere/conversions',
        `${id}/versions/0`,
        `${id}/versions/2`,
        `${id}/versions/x`,
      ]) {
        assert.equal((await ask(`/admin/canvases/${path}`)).status, 404, path)
      }
      const { status, body } = await ask(`/admin/canvases/${id}/versions?before=0`)
      assert.deepEqual([status, (body as Any).message], [400, "'before' must be an integer from 1 to 2147483647"])
    })
  })
}
