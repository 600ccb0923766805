import assert from 'node:assert/strict'
import test from 'node:test'
import { type Attacked, attackedService, usualDatabases } from '../support/attacked.ts'
import { eventually } from '../support/eventually.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { many } from '../support/people.ts'
import { assertServed } from '../support/waits.ts'

const victims = 48
/** Requests that wait at the same time: texts of more people are not rendered meanwhile. */
const heldMin = 16

for (const database of usualDatabases) {
  test(`a server that does not answer delays the mail of its own workspace only (${database})`, async (t) => {
    const attacked = await attackedService(database)
    const { foreign } = attacked
    foreign.hold()
    t.after(() => foreign.release())
    const key = await openWorkspace(attacked)
    // Each recipient waits for an answer of its own, in marketing and in transactional mail.
    const url = `http://127.0.0.1:${foreign.port}/{{\${user_id}}}`
    const email = { body: `<p>{% connected_content ${url} :no_cache %}{{custom_attribute.\${plan}}}</p>` }
    const all = { external_user_ids: many(victims, (i) => `victim-${i}`) }
    const reached = () =>
      new Set(attacked.mailServer.taken.map(({ to }) => to[0]!).filter((to) => to.endsWith('@slow.example'))).size
    // A request is given up after some seconds, so the attacker sends again as long as others are measured.
    await assertServed(t, attacked, async (measured) => {
      let isMeasured = false
      void measured.then(() => {
        isMeasured = true
      })
      const before = foreign.held.length
      for (const wanted of [{}, { recipient_subscription_state: 'all' }])
        assert.equal((await attacked.post('/messages/send', letter({ ...all, ...wanted }, email), { key })).status, 201)
      await eventually('requests wait', () => isMeasured || foreign.held.length >= before + heldMin)
    })

    foreign.release()
    await eventually(
      () => `${reached()} of ${victims} people have mail`,
      () => reached() === victims,
    )
  })
}

/** Opens a workspace of the attacker, with its people. Returns a key. */
async function openWorkspace(attacked: Attacked): Promise<string> {
  await attacked.admin('POST', '/admin/workspace', { id: 'slow', name: 'Slow' })
  await attacked.admin('POST', '/admin/apply?workspace=slow', sendingWorkspace)
  const { body } = await attacked.admin('POST', '/admin/keys?workspace=slow', { name: 'Slow', permissions: ['*'] })
  const { key } = body.key
  const attributes = many(victims, (i) => ({
    external_id: `victim-${i}`,
    email: `p${i}@slow.example`,
    email_subscribe: 'opted_in',
  }))
  const answer = await attacked.post('/users/track', { attributes }, { key })
  assert.equal(answer.status, 201, answer.text)
  return key
}
