import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { drawDatabases } from '../support/harness.ts'
import { type Item, many, newId, peopleOf } from '../support/people.ts'

const plan = (value: string) => ({ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value } })
const named = (segment_id: string) => ({ segment: { segment_id } })

const segmentsMax = 500
const audienceBytesMax = 102_400
const levelsMax = 10
const conditionsMax = 500

type Entry = { readonly id: string; readonly name: string; readonly audience: object }

for (const database of drawDatabases('segments-file')) {
  describe(`segments as configuration (${database})`, () => {
    const people = peopleOf(database)

    const asAdmin = (method: string, path: string, body?: unknown) =>
      people.service.send(method, path, body, { key: people.service.adminToken })

    const make = async (more: Item = {}) => {
      const { body } = await people.service.admin('POST', '/admin/segments', {
        name: newId('Segment'),
        audience: plan(newId('plan')),
        ...more,
      })
      return body.segment as Entry
    }

    const list = async (): Promise<readonly Entry[]> =>
      (await people.service.admin('GET', '/admin/segments')).body.segments

    /** Applies a file with these segments. Returns its errors; nothing is applied. */
    const mistakes = async (...segments: unknown[]): Promise<string[]> => {
      const { status, body } = await asAdmin('POST', '/admin/apply?plan=true', { segments })
      if (status === 200) return []
      assert.equal(status, 400, JSON.stringify(body))
      return body.errors.map(({ path, message }: { path: string; message: string }) => `${path} ${message}`)
    }

    describe('in the workspace file', () => {
      test('a segment is created, changed by its name, and the same file again changes nothing', async () => {
        const [id, name] = [newId(), newId('Gold')]
        const entry = { id, name, audience: { AND: [plan('gold'), { NOT: plan('dust') }] }, tags: ['vip'] }
        const first = await people.service.admin('POST', '/admin/apply', { segments: [entry] })
        assert.equal(first.body.changes.length, 1)
        assert.deepEqual(first.body.changes[0].after, { ...entry, description: '', analytics_tracking_enabled: true })
        const again = await people.service.admin('POST', '/admin/apply', { segments: [entry] })
        assert.deepEqual(again.body.changes, [])

        const changed = { name, audience: plan('golden'), description: 'The best', analytics_tracking_enabled: false }
        await people.service.admin('POST', '/admin/apply', { segments: [changed] })
        const { body } = await people.service.admin('GET', `/admin/segments/${id}`)
        assert.deepEqual(body.segment, { id, tags: ['vip'], ...changed })
      })

      test('a segment is read, changed, listed and deleted by its own route', async () => {
        const made = await make({ description: 'One', tags: ['a', 'b'] })
        const path = `/admin/segments/${made.id}`
        assert.deepEqual((await people.service.admin('GET', path)).body.segment, made)
        const { body } = await people.service.admin('PATCH', path, { description: 'Two' })
        assert.deepEqual(body.segment, { ...made, description: 'Two' })
        const all = (await people.service.admin('GET', '/admin/segments')).body.segments as Entry[]
        assert.ok(all.some(({ id }) => id === made.id))
        assert.equal((await asAdmin('DELETE', path)).status, 204)
        assert.equal((await asAdmin('GET', path)).status, 404)
        assert.equal((await asAdmin('DELETE', path)).status, 404)
      })

      test('names can be swapped, and a new segment can take a name that becomes free', async () => {
        const [a, b] = [await make(), await make()]
        const third = { id: newId(), name: a.name, audience: plan('x') }
        await people.service.admin('POST', '/admin/apply', {
          segments: [third, { ...a, name: b.name }, { ...b, name: `${a.name} too` }],
        })
        const listed = await list()
        const nameOf = (id: string) => listed.find((each) => each.id === id)?.name
        assert.deepEqual([nameOf(a.id), nameOf(b.id), nameOf(third.id)], [b.name, `${a.name} too`, a.name])
      })

      test('an error in a condition is returned with its path', async () => {
        const bad = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'is', value: 'x' } }
        const [message, ...more] = await mistakes({ name: newId(), audience: { AND: [plan('a'), bad] } })
        assert.match(message!, /^segments\[0\]\.audience\.AND\[1\]\.custom_attribute\.comparison must be one of /)
        assert.deepEqual(more, [])
        const single = await asAdmin('POST', '/admin/segments', { name: newId(), audience: { AND: [] } })
        assert.equal(single.status, 400)
        assert.match(single.body.message, /^audience\.AND is empty/)
      })

      test('a regular expression has the maximum length of the setting', async () => {
        const pattern = { custom_attribute_name: 'plan', comparison: 'matches_regex', value: 'a'.repeat(1001) }
        const segment = { name: newId(), audience: { custom_attribute: pattern } }
        assert.match((await mistakes(segment))[0]!, /value must be text of at most 1000 characters/)
        await people.service.admin('PATCH', '/admin/settings', { regex_characters_max: 1001 })
        await people.service.admin('POST', '/admin/segments', segment)
        await people.service.admin('DELETE', '/admin/settings/regex_characters_max')
      })

      test('an invalid segment is refused and nothing is written', async () => {
        const count = (await list()).length
        const good = { name: newId(), audience: plan('x') }
        const bad: unknown[] = [
          null,
          [],
          'x',
          {},
          { name: good.name },
          { audience: good.audience },
          { ...good, name: '' },
          { ...good, name: 'a\nb' },
          { ...good, name: '\ud800' },
          { ...good, id: 'a b' },
          { ...good, more: 1 },
          { ...good, audience: null },
          { ...good, audience: [] },
          { ...good, audience: {} },
          { ...good, audience: 'all' },
          { ...good, audience: { constructor: [] } },
          { ...good, audience: plan('\u0000') },
          { ...good, audience: plan('\udfff') },
          { ...good, audience: { AND: many(3, () => null) } },
          { ...good, audience: { AND: plan('x') } },
          { ...good, audience: { segment: {} } },
          { ...good, description: 5 },
          { ...good, description: 'x'.repeat(1001) },
          { ...good, tags: 'x' },
          { ...good, tags: [''] },
          { ...good, tags: ['x', 'x'] },
          { ...good, tags: many(51, String) },
          { ...good, analytics_tracking_enabled: 'yes' },
          JSON.parse('{"name":"x","audience":{"__proto__":[]}}'),
        ]
        for (const entry of bad) {
          const { status, body } = await asAdmin('POST', '/admin/apply', { segments: [good, entry] })
          assert.equal(status, 400, JSON.stringify(entry))
          assert.match(body.message, /^segments/, JSON.stringify(entry))
        }
        let deep: object = plan('x')
        for (let i = 0; i < 1000; i++) deep = { NOT: deep }
        for (const audience of [deep, { OR: many(30_000, () => plan('x')) }]) {
          assert.equal((await asAdmin('POST', '/admin/segments', { name: newId(), audience })).status, 400)
        }
        assert.equal((await list()).length, count)
      })

      test('an audience has at most 102,400 bytes as JSON', async () => {
        const full = { OR: many(88, () => plan('x'.repeat(1000))) }
        const rest = audienceBytesMax - Buffer.byteLength(JSON.stringify(full))
        const sized = (more: number) => {
          const size = rest + more - JSON.stringify(plan('')).length * 10 - 10
          const texts = many(10, (i) => 'y'.repeat(Math.floor(size / 10) + (i < size % 10 ? 1 : 0)))
          return { OR: [...full.OR, ...texts.map(plan)] }
        }
        assert.equal(Buffer.byteLength(JSON.stringify(sized(0))), audienceBytesMax)
        for (const more of [-1, 0]) assert.deepEqual(await mistakes({ name: 'Full', audience: sized(more) }), [])
        const message = `segments[0].audience has ${audienceBytesMax + 1} bytes as JSON; at most ${audienceBytesMax} are allowed`
        assert.deepEqual(await mistakes({ name: 'Full', audience: sized(1) }), [message])
      })

      test('a workspace can have 500 segments', async () => {
        const before = (await people.service.admin('GET', '/admin/segments')).body.segments.length
        const some = (count: number) => many(count - before, (i) => ({ name: `Many ${i}`, audience: plan('x') }))
        assert.deepEqual(await mistakes(...some(segmentsMax - 1)), [])
        assert.deepEqual(await mistakes(...some(segmentsMax)), [])
        const message = `segments would be ${segmentsMax + 1} in this workspace; at most ${segmentsMax} are allowed`
        assert.deepEqual(await mistakes(...some(segmentsMax + 1)), [message])
      })
    })

    describe('that name other segments', () => {
      test('name them by id or by name, in any order, also in the same file', async () => {
        const [gold, silver, both] = [newId(), newId('Silver'), newId()]
        await people.service.admin('POST', '/admin/apply', {
          segments: [
            { id: both, name: newId(), audience: { OR: [named(gold), named(silver)] } },
            { id: gold, name: newId('Gold'), audience: plan(gold) },
            { name: silver, audience: plan(silver) },
          ],
        })
        await people.set(
          { external_id: newId(), plan: gold },
          { external_id: newId(), plan: silver },
          { external_id: newId() },
        )
        const { body } = await people.service.admin('GET', `/admin/segments/${both}/count`)
        assert.equal(body.count, 2)
      })

      test('must name existing ones', async () => {
        const message = 'segments[0].audience names a segment that does not exist: "nobody"'
        assert.deepEqual(await mistakes({ name: newId(), audience: { AND: [plan('a'), named('nobody')] } }), [message])
      })

      test('must not form a cycle', async () => {
        const self = { id: newId(), name: 'Self', audience: {} }
        self.audience = { NOT: named(self.id) }
        assert.deepEqual(await mistakes(self), ['segments[0].audience forms a cycle: "Self" -> "Self"'])

        const stored = await make()
        const user = await make({ audience: named(stored.name) })
        const messages = await mistakes({
          id: stored.id,
          name: stored.name,
          audience: { AND: [named(user.name), plan('x')] },
        })
        assert.equal(messages.length, 1)
        const round = messages[0]!.replace(stored.name, 'A').replaceAll(user.name, 'B').replace(stored.name, 'A')
        assert.ok(
          ['"A" -> "B" -> "A"', '"B" -> "A" -> "B"'].some(
            (each) => round === `segments[0].audience forms a cycle: ${each}`,
          ),
          round,
        )
      })

      test('are nested at most 10 levels deep', async () => {
        const chain = (levels: number) =>
          many(levels, (i) => ({ name: `Level ${i}`, audience: i === 0 ? plan('x') : named(`Level ${i - 1}`) }))
        assert.deepEqual(await mistakes(...chain(levelsMax - 1)), [])
        assert.deepEqual(await mistakes(...chain(levelsMax)), [])
        const message = `segments[${levelsMax}].audience names segments ${levelsMax + 1} levels deep; at most ${levelsMax} are allowed`
        for (const more of [1, 2]) assert.deepEqual(await mistakes(...chain(levelsMax + more)), [message])
        await people.service.admin('POST', '/admin/apply', { segments: chain(levelsMax) })
        const { id } = (await list()).find(({ name }) => name === `Level ${levelsMax - 1}`)!
        await people.set({ external_id: newId(), plan: 'x' })
        assert.equal((await people.service.admin('GET', `/admin/segments/${id}/count`)).body.count, 1)
      })

      test('have at most 500 conditions together', async () => {
        const of = (count: number) => ({ OR: many(count, (i) => plan(String(i))) })
        const sized = (count: number) => [
          { name: 'Inner', audience: of(200) },
          // Two conditions name the segment, whose 400 conditions count each time, and the others are direct.
          { name: 'Outer', audience: { AND: [named('Inner'), { NOT: named('Inner') }, of(count - 402)] } },
        ]
        assert.deepEqual(await mistakes(...sized(conditionsMax - 1)), [])
        assert.deepEqual(await mistakes(...sized(conditionsMax)), [])
        const much = `${conditionsMax + 1} conditions with those of the segments it names`
        const message = `segments[1].audience has ${much}; at most ${conditionsMax} are allowed`
        assert.deepEqual(await mistakes(...sized(conditionsMax + 1)), [message])
        const doubling = many(levelsMax, (i) => ({
          name: `Twice ${i}`,
          audience: i === 0 ? of(2) : { OR: many(20, () => named(`Twice ${i - 1}`)) },
        }))
        assert.ok((await mistakes(...doubling)).length > 0)
      })

      test('a change that makes a stored segment invalid is refused', async () => {
        const inner = await make()
        const outer = await make({ audience: { AND: [named(inner.name), plan('x')] } })
        const path = `/admin/segments/${inner.id}`
        const renamed = await asAdmin('PATCH', path, { name: newId() })
        assert.equal(renamed.status, 400)
        const missing = `audience of "${outer.name}" names a segment that does not exist: "${inner.name}"`
        assert.equal(renamed.body.message, `segments would be inconsistent: ${missing}`)
        const taken = await asAdmin('POST', '/admin/segments', { name: outer.id, audience: plan('x') })
        assert.equal(taken.status, 400)
        assert.match(taken.body.message, /^name is the id of another segment/)
      })

      test('a segment that another one names is not deleted, and the error names the other one', async () => {
        const inner = await make()
        const outers = [
          await make({ name: newId('A'), audience: named(inner.id) }),
          await make({ name: newId('B'), audience: { NOT: named(inner.name) } }),
        ]
        const { status, body } = await asAdmin('DELETE', `/admin/segments/${inner.id}`)
        assert.equal(status, 409)
        assert.equal(
          body.message,
          `The segment is used by segment "${outers[0]!.name}", segment "${outers[1]!.name}": change or delete them first`,
        )
        for (const { id } of outers) assert.equal((await asAdmin('DELETE', `/admin/segments/${id}`)).status, 204)
        assert.equal((await asAdmin('DELETE', `/admin/segments/${inner.id}`)).status, 204)
      })
    })
  })
}
