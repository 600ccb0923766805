import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { bucketOfId } from '../../src/people/identity/person.ts'
import { recordEntered } from '../../src/people/received/received-store.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { mail, sendingWorkspace } from '../support/messages.ts'
import { type Item, many, newId } from '../support/people.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests read single members of an answer.
type Any = any

const canvas = (more: Item = {}): Item => ({
  name: newId('canvas'),
  state: 'active',
  segment: { segment_id: 'gold' },
  entry: { by: ['api'] },
  steps: [{ id: 'hello', type: 'message', channel: 'email', message: mail() }],
  first: 'hello',
  ...more,
})

for (const database of drawDatabases('dry-run')) {
  describe(`POST /admin/canvases/{id}/dry_run (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' }, workspace: sendingWorkspace })

    async function make(more: Item = {}): Promise<string> {
      return (await people.service.admin('POST', '/admin/canvases', canvas(more))).body.canvas.id
    }

    const run = async (id: string, body?: Item): Promise<Any> =>
      (await people.service.admin('POST', `/admin/canvases/${id}/dry_run`, body)).body

    async function person(more: Item = {}): Promise<string> {
      const external_id = newId()
      await people.set({ external_id, email: `${external_id}@example.com`, plan: 'gold', ...more })
      return external_id
    }

    const counted = async (table: string) =>
      (
        await people.db.query<{ count: number }>({ text: `select count(*)::int as count from ${table}`, values: [] })
      )[0]!.count

    async function enter(external_id: string, id: string): Promise<void> {
      const [row] = await people.db.query<{ profile_id: string; flow_id: number }>(sql`
        select p.profile_id, f.flow_id from profile p, flow f where p.external_id = ${external_id} and f.id = ${id}`)
      const { profile_id, flow_id } = row!
      const entered = { person: { bucket: bucketOfId(profile_id), profile_id }, flow_id, workspace_id: 1 }
      await people.db.query(sql`
        insert into received (bucket, profile_id, flow_id, workspace_id)
        values (${entered.person.bucket}, ${profile_id}::int8, ${flow_id}, 1)`)
      await recordEntered(people.db, [
        { ...entered, variant: null, inControl: false, atUs: Date.UTC(2026, 0, 1) * 1000 },
      ])
    }

    test('named recipients are counted by their outcome, each with the reason', async () => {
      const id = await make()
      const [well, free, entered, silent, away] = await Promise.all([
        person(),
        person({ plan: 'free' }),
        person(),
        person({ email_subscribe: 'unsubscribed' }),
        newId('nobody'),
      ])
      const homeless = newId()
      await people.set({ external_id: homeless, plan: 'gold' })
      const blocked = await person()
      const block = await people.service.post('/email/blocklist', { email: [`${blocked}@example.com`] })
      assert.equal(block.status, 201, block.text)
      await enter(entered, id)
      const names = [well, free, entered, silent, away, homeless, blocked, well]
      const before = await Promise.all(['entry', 'message', 'decision', 'dispatch', 'received'].map(counted))
      const answer = await run(id, { recipients: names.map((external_user_id) => ({ external_user_id })) })
      assert.deepEqual(answer.counts, {
        ...{ would_enter: 1, not_in_segment: 1, already_entered: 1, unsubscribed: 1, no_such_user: 1, no_address: 1 },
        suppressed: 1,
      })
      assert.equal(answer.complete, true)
      assert.equal(answer.canvas.id, id)
      assert.equal(Object.values(answer.variants as Record<string, number>)[0], 1)
      const of = (outcome: string) => answer.sample.find((each: Any) => each.outcome === outcome)
      assert.equal(answer.sample[0].outcome, 'would_enter')
      assert.equal(answer.sample[0].person.external_id, well)
      assert.equal(of('not_in_segment').person.external_id, free)
      assert.match(of('not_in_segment').rule, /plan.* is `gold`/)
      assert.ok(of('not_in_segment').inputs.as_of)
      assert.deepEqual(of('no_such_user').asked, { external_user_id: away })
      assert.equal(of('already_entered').rule, 'a person enters once')
      assert.equal(of('unsubscribed').inputs.email_subscribe, 'unsubscribed')
      assert.deepEqual(await Promise.all(['entry', 'message', 'decision', 'dispatch', 'received'].map(counted)), before)
    })

    test('without recipients everybody is counted, page by page, in the given audience', async () => {
      const attribute = newId('attribute')
      const isIn = (value: string) => ({
        custom_attribute: { custom_attribute_name: attribute, comparison: 'equals', value },
      })
      const exists = { custom_attribute: { custom_attribute_name: attribute, comparison: 'exists' } }
      const id = await make({ segment: exists, control_percent: 50 })
      const total = await counted('profile')
      await people.db.query(sql`
        insert into profile (bucket, profile_id, workspace_id, random_bucket, email, custom, created_at, updated_at)
        select n, (n::int8 << 51) + 1, 1, 0, n || '@example.com',
          jsonb_build_object(${attribute}::text, case when n <= 1100 then 'a' else 'b' end), ${'2026-01-01Z'}, ${'2026-01-01Z'}
        from generate_series(1, 1200) n`)
      const all = await run(id)
      assert.deepEqual(Object.keys(all.counts).sort(), ['control_group', 'not_in_segment', 'would_enter'])
      assert.equal(all.counts.not_in_segment, total)
      assert.equal(all.counts.control_group + all.counts.would_enter, 1_200)
      assert.ok(all.counts.control_group > 480 && all.counts.control_group < 720, JSON.stringify(all.counts))
      assert.ok(all.sample.every(({ because }: Any) => typeof because === 'string'))
      assert.equal(all.sample.filter(({ outcome }: Any) => outcome === 'control_group').length, 10)
      const some = await run(id, { audience: isIn('b') })
      assert.equal(some.counts.not_in_audience, 1_100)
      assert.equal(some.counts.control_group + some.counts.would_enter, 100)
      const outside = some.sample.find((each: Any) => each.outcome === 'not_in_audience')
      assert.equal(
        outside.rule,
        `\`${attribute}\` is \`b\``,
        'a person outside the audience is counted by that rule, and not by the segment',
      )
    })

    test('an inactive canvas says that nobody enters, and a canvas without messages requires no address', async () => {
      const external_id = newId()
      await people.set({ external_id, plan: 'gold' })
      const id = await make({
        state: 'draft',
        steps: [{ id: 'tag', type: 'update_user', attributes: { seen: true } }],
        first: 'tag',
      })
      const answer = await run(id, { recipients: [{ external_user_id: external_id }] })
      assert.deepEqual(answer.counts, { would_enter: 1 })
      assert.equal(answer.notice, 'Nobody enters: the canvas is draft.')
    })

    test('a person who has reached the frequency cap is counted as capped, except for transactional canvases and webhooks', async () => {
      await people.service.admin('PATCH', '/admin/settings', { frequency_cap: [{ count: 1, per: 'P1D' }] })
      const external_id = await person()
      const who = { recipients: [{ external_user_id: external_id }] }
      const ended_at = (await people.service.admin('GET', '/admin/clock')).body.now
      const id = await make()
      assert.deepEqual((await run(id, who)).counts, { would_enter: 1 })
      await people.write(external_id, { ended_at })
      await people.db.query(sql`update message set planned_at = ended_at`)
      await people.service.advance('PT1M')
      const { counts, sample } = await run(id, who)
      assert.deepEqual(counts, { would_enter: 0, frequency_capped: 1 })
      assert.deepEqual([sample[0].rule, sample[0].inputs.had], ['at most 1 marketing messages in P1D', 1])
      assert.deepEqual((await run(await make({ class: 'transactional' }), who)).counts, { would_enter: 1 })
      const hook = { id: 'hello', type: 'message', channel: 'webhook', message: { url: 'https://example.com/' } }
      assert.deepEqual((await run(await make({ steps: [hook] }), who)).counts, { would_enter: 1 })
      await people.service.admin('DELETE', '/admin/settings/frequency_cap')
    })

    test('a definition is tried before it is published, and nothing is stored', async () => {
      const [gold, other] = [await person(), await person({ plan: 'none' })]
      const recipients = [gold, other].map((external_user_id) => ({ external_user_id }))
      const definition = canvas({ state: 'draft' })
      const { counts, notice, canvas: tried } = await run('not-published', { recipients, definition })
      assert.deepEqual(counts, { would_enter: 1, not_in_segment: 1 })
      assert.deepEqual([notice, tried.id], [undefined, 'not-published'])
      const id = await make()
      const { segment: _, ...everybody } = definition
      assert.deepEqual((await run(id, { recipients, definition: everybody })).counts, { would_enter: 2 })
      assert.deepEqual((await run(id, { recipients })).counts, { would_enter: 1, not_in_segment: 1 })
      const path = '/admin/canvases/not-published'
      const refused = async (method: string, to: string, body?: unknown) => {
        const { status, text } = await people.service.send(method, to, body, { key: people.service.adminToken })
        return `${status} ${text}`
      }
      assert.match(await refused('GET', path), /^404 /)
      assert.match(await refused('POST', `${path}/dry_run`, { recipients }), /^404 /)
      const broken = { definition: { ...definition, first: 'x' } }
      assert.match(
        await refused('POST', `${path}/dry_run`, broken),
        /^400 .*definition\.first names a step that does not exist/,
      )
      assert.match(await refused('POST', `${path}/dry_run`, { definition: 'x' }), /^400 /)
    })

    test('a campaign has the same dry run', async () => {
      const { body } = await people.service.admin('POST', '/admin/campaigns', {
        ...{ name: newId('campaign'), state: 'active', segment: { segment_id: 'gold' }, entry: { by: ['api'] } },
        messages: [{ id: 'one', name: 'One', percent: 100, email: mail() }],
      })
      const who = { recipients: [{ external_user_id: await person() }] }
      const answer = await people.service.admin('POST', `/admin/campaigns/${body.campaign.id}/dry_run`, who)
      assert.deepEqual([answer.body.counts, answer.body.variants], [{ would_enter: 1 }, { one: 1 }])
      assert.deepEqual(answer.body.variant_names, { one: 'One' })
    })

    test('an invalid request is refused', async () => {
      const id = await make()
      const ask = (path: string, body: unknown) =>
        people.service.post(`/admin/canvases/${path}/dry_run`, body, { key: people.service.adminToken })
      const refused: readonly unknown[] = [
        [],
        1,
        'x',
        { recipients: 1 },
        { recipients: [1] },
        { recipients: [{}] },
        { recipients: [{ external_user_id: 'a\u0000' }] },
        { recipients: many(51, (i) => ({ external_user_id: String(i) })) },
        { audience: 1 },
        { audience: { AND: [{ __proto__: 1, none: {} }] } },
      ]
      for (const body of refused) assert.equal((await ask(id, body)).status, 400, JSON.stringify(body))
      assert.equal((await ask(id, { recipients: null, audience: null })).status, 200)
      assert.equal((await ask('none', {})).status, 404)
      assert.equal((await ask('%00', {})).status, 404)
      assert.equal((await people.service.post(`/admin/canvases/${id}/dry_run`, {})).status, 401)
    })
  })
}
