import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { Random } from '../../bench/random.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { seed, sizes } from '../sizes.ts'
import { drawDatabases } from '../support/harness.ts'
import { apps, groups, type People, peopleOf } from '../support/people.ts'
import { CanvasModel } from './canvas-model.ts'
import { type Act, drawProgram, type PersonGiven } from './canvas-programs.ts'

type Mail = { readonly subject: string; readonly at: string }

const workspace = {
  settings: { time_zone: 'UTC' },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
}

for (const database of drawDatabases('random canvases')) {
  describe(`canvases and a simple model (${database})`, () => {
    let db: Db | undefined
    const calls: string[] = []
    const fetcher = {
      async fetch(url: string) {
        calls.push(url.slice('https://hooks.example.com/'.length))
        return { status: 200, headers: {}, body: Buffer.alloc(0), url }
      },
      close: async () => {},
    }
    const opened = (made: Db) => {
      db = made
    }
    const people: People = peopleOf(database, { workspace, fetcher, opened, env: { EASEL_CLOCK: 'virtual' } })

    const now = async (): Promise<number> => Date.parse((await people.service.admin('GET', '/admin/clock')).body.now)

    async function carryOut(act: Act, nowMs: number): Promise<void> {
      if (act.kind === 'pass') await people.service.advance(`PT${act.seconds}S`)
      else if (act.kind === 'trigger') {
        const recipients = act.people.map((external_user_id) => ({ external_user_id }))
        const answer = await people.send('/canvas/trigger/send', { canvas_id: act.canvas, recipients })
        assert.equal(answer.status, 201, answer.text)
      } else if (act.kind === 'event') {
        const { person: external_id, name, properties } = act
        await people.happen({ external_id, name, properties, time: new Date(nowMs).toISOString() })
      } else if (act.kind === 'plan') await people.set({ external_id: act.person, plan: act.plan })
      else if (act.kind === 'publish') await people.service.admin('POST', '/admin/apply', { canvases: [act.canvas] })
      else await people.service.admin('POST', `/admin/canvases/${act.canvas}/${act.kind}`)
      await people.service.advance('PT1S')
    }

    async function mailsOf(id: string): Promise<string[]> {
      const mails: Mail[] = []
      for (let cursor = ''; ; ) {
        const { body } = await people.service.admin('GET', `/admin/inbox?to=${id}@example.com&limit=100${cursor}`)
        mails.push(...body.messages)
        if (!body.cursor) break
        cursor = `&cursor=${encodeURIComponent(body.cursor)}`
      }
      return mails.map(({ at, subject }) => `${at} ${subject}`).sort()
    }

    /** A refused person has an entry with the reason. The model has no such entries. */
    async function ends(name: string): Promise<string[]> {
      const rows = await db!.query<{ id: string; end: string; count: number }>(sql`
        select f.id, coalesce(e.ended, 'open') as end, count(*)::int4 as count from entry e join flow f using (flow_id)
        where f.id like ${`${name}-%`}
          and coalesce(e.ended, '') not in ('not_in_segment', 'already_entered', 'canvas_paused') group by 1, 2`)
      return rows.map(({ id, end, count }) => `${id} ${end} ${count}`).sort()
    }

    async function compare(model: CanvasModel, name: string, drawn: readonly PersonGiven[]): Promise<string> {
      let count = 0
      for (const { id } of drawn) {
        const expected = (model.mails.get(id) ?? []).toSorted()
        assert.deepEqual(await mailsOf(id), expected, id)
        const custom = await people.custom(id)
        const tags = Object.entries(custom).filter(([key]) => key.startsWith('tag_'))
        assert.deepEqual(Object.fromEntries(tags), model.tagsOf(id), id)
        count += expected.length
      }
      const called = calls.filter((call) => call.startsWith(`${name}-`))
      assert.deepEqual(called.toSorted(), model.calls.toSorted())
      assert.deepEqual(await ends(name), model.ends)
      return `${count} mails, ${called.length} calls; ${model.ends.length} ends`
    }

    test('each person gets the mails of the model at the times of the model and nothing else, for all actions on canvases', async (t) => {
      t.diagnostic(`seed ${seed}`)
      for (let round = 0; round < sizes.canvasRounds; round++) {
        const name = `c${round}`
        const { canvases, people: drawn, acts } = drawProgram(new Random(seed + round), name, 60)
        await people.service.admin('POST', '/admin/apply', { canvases })
        await people.set(
          ...drawn.map(({ id, time_zone, plan, hasEmail }) => {
            return { external_id: id, time_zone, plan, ...(hasEmail && { email: `${id}@example.com` }) }
          }),
        )
        const model = new CanvasModel(await now(), canvases, drawn)
        for (const act of acts) {
          if (!model.allows(act)) continue
          await carryOut(act, model.nowMs)
          model.act(act)
          assert.equal(await now(), model.nowMs)
        }
        t.diagnostic(await compare(model, name, drawn))
      }
    })
  })
}
