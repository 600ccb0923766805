import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { sql } from '../../src/base/db/sql.ts'
import { drawDatabases } from '../support/harness.ts'
import { mailedOf } from '../support/mailed-people.ts'
import { apps, type Item, newId, only } from '../support/people.ts'

const email = { app_id: apps.phone.id, from: 'Shop <shop@example.com>', subject: 'Hello', body: '<p>Hello</p>' }
const hi = { id: 'hi', type: 'message', message: email }
const gold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }

type Applied = { readonly changes: readonly Item[] }

for (const database of drawDatabases('admin-canvases')) {
  describe(`/admin/canvases (${database})`, () => {
    const people = mailedOf(database, { env: { EASEL_CLOCK: 'virtual' } })
    const ask = (method: string, path: string, body?: unknown) =>
      people.service.send(method, path, body, { key: people.service.adminToken })
    const apply = async (file: object): Promise<Applied> => {
      const { status, body, text } = await ask('POST', '/admin/apply', file)
      assert.equal(status, 200, text)
      return body as unknown as Applied
    }
    const canvasOf = async (id: string) => (await ask('GET', `/admin/canvases/${id}`)).body.canvas as Item
    const make = async (more: object = {}): Promise<string> => {
      const id = newId('canvas')
      await apply({ canvases: [{ id, name: id, state: 'active', first: 'hi', steps: [hi], ...more }] })
      return id
    }
    const flowOf = async (id: string, kind = 'canvas') =>
      only(
        await people.db.query<{
          flow_id: number
          version: number
          state: string
          unsettled: boolean
          plan_at: Date | null
        }>(sql`select flow_id, version, state, unsettled, plan_at from flow where kind = ${kind} and id = ${id}`),
      )
    const versionsOf = async (id: string): Promise<number[]> => {
      const { flow_id } = await flowOf(id)
      const rows = await people.db.query<{ version: number }>(
        sql`select version from flow_version where flow_id = ${flow_id} order by version`,
      )
      return rows.map(({ version }) => version)
    }
    /** Puts a person into a canvas, where they wait at a step until business time moves. */
    const stand = async (id: string, step: string, version = 1): Promise<void> => {
      const { flow_id } = await flowOf(id)
      await people.db.query(sql`
        insert into entry (bucket, profile_id, entry_id, workspace_id, flow_id, version, class, state, step, due_at, entered_at)
        select 0, 1, gen_random_uuid(), workspace_id, ${flow_id}, ${version}::int, class, 'waiting', ${step}, '2100-01-01', '2027-01-01'
        from flow where flow_id = ${flow_id}`)
    }
    const watched = async (prefix: string): Promise<string[]> => {
      const rows = await people.db.query<{ row: string }>(sql`
        select kind || ' ' || name || case when signals then ' !' else '' end as row from watched
        where name like ${prefix} || '%' order by row`)
      return rows.map(({ row }) => row)
    }
    const watchedVersion = async (): Promise<string> =>
      only(await people.db.query<{ number: string }>(sql`select number from version where name = 'watched'`)).number

    test('a file creates canvases, and the same file again changes nothing', async () => {
      const [id, other] = [newId('canvas'), newId('campaign')]
      const file = {
        canvases: [{ id, name: id, tags: ['a'], segment: gold, first: 'hi', steps: [hi] }],
        campaigns: [{ id: other, name: other, state: 'active', messages: [{ email }] }],
      }
      assert.deepEqual(
        (await apply(file)).changes.map(({ member, action }) => `${action} ${member}`),
        ['create canvases', 'create campaigns'],
      )
      assert.deepEqual((await apply(file)).changes, [])
      assert.deepEqual(await canvasOf(id), {
        ...{ id, name: id, description: '', tags: ['a'], state: 'draft', class: 'marketing' },
        ...{ segment: gold, first: 'hi', steps: [hi] },
      })
      const { body } = await ask('GET', `/admin/campaigns/${other}`)
      assert.deepEqual(body.campaign, {
        ...{ id: other, name: other, description: '', tags: [], state: 'active', class: 'marketing' },
        messages: [{ email }],
      })
    })

    test('an error names its path, and nothing is written', async () => {
      const id = newId('canvas')
      const { status, body } = await ask('POST', '/admin/canvases', { id, name: id, first: 'ho', steps: [hi] })
      assert.equal(status, 400)
      assert.equal(body.message, 'first names a step that does not exist: "ho"')
      assert.deepEqual(body.errors, [{ path: 'first', message: 'names a step that does not exist: "ho"' }])
      const strange = await ask('POST', '/admin/canvases', { id, name: id, first: 'hi', steps: [hi], color: 1 })
      assert.match(strange.body.message, /^color is not known here; known are id, name/)
      assert.equal((await ask('GET', `/admin/canvases/${id}`)).status, 404)
    })

    test('a change of the definition makes a new version; a change of name, tags or state does not', async () => {
      const id = await make()
      const patch = async (body: object) => (await ask('PATCH', `/admin/canvases/${id}`, body)).status
      assert.equal(await patch({ name: `${id} renamed`, tags: ['b'], state: 'paused' }), 200)
      assert.deepEqual(await versionsOf(id), [1])
      assert.equal(await patch({ rate: '5/min', state: 'active' }), 200)
      assert.equal(await patch({ rate: null }), 200)
      assert.deepEqual([await versionsOf(id), (await canvasOf(id)).rate], [[1, 2, 3], undefined])
      assert.equal(await patch({ state: 'draft' }), 400)
    })

    test('a canvas is returned in the order in which a file gives it', async () => {
      const id = newId('canvas')
      const wait = { id: 'wait', type: 'delay', for: 'P1D', next: 'hi' }
      const entry = { by: ['api'], again: { after: 'P1D' } }
      const on = { event: 'left', properties: { why: { comparison: 'equals', value: 'x' } } }
      const given = {
        id,
        name: id,
        description: '',
        tags: [],
        state: 'active',
        class: 'marketing',
        segment: gold,
        entry,
      }
      const whole = { ...given, conversions: [{ name: 'Left', on, within: 'P1D' }], first: 'wait', steps: [wait, hi] }
      await apply({ canvases: [whole] })
      assert.equal(JSON.stringify(await canvasOf(id)), JSON.stringify(whole))
    })

    test('two canvases can swap their names', async () => {
      const [a, b] = [await make(), await make()]
      const given = (id: string, name: string) => ({ id, name, state: 'active', first: 'hi', steps: [hi] })
      assert.equal((await apply({ canvases: [given(a, b), given(b, a)] })).changes.length, 2)
      assert.deepEqual([(await canvasOf(a)).name, (await canvasOf(b)).name], [b, a])
    })

    test('a canvas is paused, resumed and stopped', async () => {
      const id = await make({ entry: { schedule: { at: '09:00' } } })
      const act = async (verb: string) => {
        const { status, body } = await ask('POST', `/admin/canvases/${id}/${verb}`)
        return status === 200 ? body.canvas.state : status
      }
      assert.ok((await flowOf(id)).plan_at)
      assert.deepEqual([await act('resume'), await act('pause'), await act('pause')], ['active', 'paused', 'paused'])
      assert.equal((await flowOf(id)).plan_at, null)
      assert.equal(await act('resume'), 'active')
      assert.ok((await flowOf(id)).plan_at)
      assert.deepEqual(
        [await act('stop'), await act('stop'), await act('pause'), await act('resume')],
        ['archived', 'archived', 409, 409],
      )
      assert.equal((await canvasOf(id)).state, 'archived')
      const again = (await ask('POST', `/admin/canvases/${id}/resume`)).body.message
      assert.equal(again, "The canvas is archived: it cannot be resumed; set its 'state' to active instead")
      assert.equal((await ask('POST', '/admin/canvases/none/pause')).status, 404)
      const { status, body } = await ask('POST', `/admin/campaigns/${id}/pause`)
      assert.deepEqual([status, body.message], [404, `There is no campaign "${id}"`])
    })

    test('the impact of a definition counts the people at each step', async () => {
      const id = await make({
        steps: [
          { ...hi, next: 'wait' },
          { id: 'wait', type: 'delay', for: 'P3D' },
        ],
      })
      await stand(id, 'wait')
      const impact = async (definition: object) => ask('POST', `/admin/canvases/${id}/impact`, { definition })
      const same = await impact({ ...(await canvasOf(id)), name: 'Another' })
      assert.deepEqual([same.status, same.body.version, same.body.open], [200, 1, 1])
      const none = await ask('POST', `/admin/canvases/${id}/impact`, {})
      assert.deepEqual(none.body, same.body)
      const { body } = await impact({ first: 'hi', steps: [hi] })
      assert.deepEqual(body, {
        version: 2,
        open: 1,
        standing: [{ version: 1, step: 'wait', name: 'wait', people: 1, in_new: 'gone' }],
        steps: { added: [], changed: ['hi'], removed: ['wait'] },
        rules: [],
        message: 'success',
      })
      const file = { canvases: [{ id, name: id, state: 'active', first: 'hi', steps: [hi] }] }
      const { changes } = (await ask('POST', '/admin/apply?plan=true', file)).body
      assert.deepEqual(changes[0].notes, [
        'version 2; 1 person is in it and continues with the version entered',
        '1 at "wait" of version 1: gone',
      ])
      const stopped = { canvases: [{ ...file.canvases[0], state: 'archived' }] }
      const left = (await ask('POST', '/admin/apply?plan=true', stopped)).body.changes
      assert.deepEqual(left[0].notes, ['1 person is in it and leaves it'])
      const wrong = await impact({ first: 'ho', steps: [hi] })
      assert.deepEqual(
        [wrong.status, wrong.body.message],
        [400, 'definition.first names a step that does not exist: "ho"'],
      )
      for (const definition of [7, null, [], {}, { steps: '\u0000' }]) {
        assert.equal((await impact(definition as object)).status, 400, JSON.stringify(definition))
      }
      assert.equal((await ask('POST', '/admin/canvases/none/impact', { definition: {} })).status, 404)
      assert.deepEqual(await versionsOf(id), [1])
    })

    test('a canvas with people in it cannot be deleted before it is stopped, and its id can be used again', async () => {
      const id = await make()
      await stand(id, 'hi')
      const { status, body } = await ask('DELETE', `/admin/canvases/${id}`)
      assert.deepEqual([status, body.message], [409, 'People are in this canvas: stop it first'])
      assert.equal((await ask('POST', `/admin/canvases/${id}/stop`)).status, 200)
      assert.equal((await ask('DELETE', `/admin/canvases/${id}`)).status, 204)
      assert.equal((await ask('GET', `/admin/canvases/${id}`)).status, 404)
      assert.equal((await ask('DELETE', `/admin/canvases/${id}`)).status, 404)
      const { flow_id } = await flowOf(id)
      await people.db.query(
        sql`update entry set state = 'ended', ended = 'cancelled', ended_at = entered_at where flow_id = ${flow_id}`,
      )
      await people.db.query(sql`update flow set unsettled = false where flow_id = ${flow_id}`)
      await apply({ canvases: [{ id, name: id, first: 'hi', steps: [hi] }] })
      assert.deepEqual(await versionsOf(id), [1, 2])
      assert.deepEqual([(await flowOf(id)).flow_id, (await canvasOf(id)).state], [flow_id, 'draft'])
    })

    test('the service knows the signals that active flows listen to, and no others', async () => {
      const mark = newId('w')
      const attribute = (name: string) => ({
        custom_attribute: { custom_attribute_name: `${mark} ${name}`, comparison: 'exists' },
      })
      const segment = { id: newId('segment'), name: newId('Segment'), audience: attribute('nested') }
      await apply({ segments: [segment] })
      const more = {
        segment: attribute('segment'),
        entry: { event: `${mark} in` },
        exit: { events: [{ purchase: `${mark} out` }], audience: { segment_id: segment.id } },
        conversions: [{ on: `${mark} won`, within: 'P1D' }],
        steps: [
          { ...hi, next: 'act' },
          { id: 'act', type: 'action_paths', within: 'P1D', paths: [{ event: `${mark} path`, next: 'if' }] },
          { id: 'if', type: 'decision', audience: { AND: [attribute('if'), attribute('nested')] } },
        ],
      }
      const id = await make({ ...more, state: 'draft' })
      const before = await watchedVersion()
      assert.deepEqual(await watched(mark), [])
      assert.equal((await ask('PATCH', `/admin/canvases/${id}`, { state: 'active' })).status, 200)
      const all = [
        'attribute if',
        'attribute nested !',
        'attribute segment',
        'event in !',
        'event path !',
        'event won !',
      ]
      const rows = [...all, 'purchase out !'].map((row) => row.replace(' ', ` ${mark} `))
      assert.deepEqual(await watched(mark), rows)
      assert.notEqual(await watchedVersion(), before)
      assert.equal((await ask('PATCH', `/admin/canvases/${id}`, { tags: ['x'] })).status, 200)
      await apply({ segments: [{ ...segment, audience: attribute('other') }] })
      assert.equal((await watched(mark)).includes(`attribute ${mark} other !`), true)
      await stand(id, 'act')
      assert.equal((await ask('PATCH', `/admin/canvases/${id}`, { steps: [hi], exit: null })).status, 200)
      assert.equal((await watched(mark)).includes(`event ${mark} path !`), true, 'there are still entries')
      assert.equal((await ask('POST', `/admin/canvases/${id}/stop`)).status, 200)
      assert.deepEqual(await watched(mark), [])
    })
  })
}
