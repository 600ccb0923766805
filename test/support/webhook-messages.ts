import assert from 'node:assert/strict'
import { type Service, startService } from './harness.ts'
import { sendingWorkspace } from './messages.ts'
import { type Item, newId } from './people.ts'
import type { WebhookReceiver } from './webhook-receiver.ts'

export const password = 'hunter5-of-the-credential'
export const typed = 'hunter6-of-the-header'

/** A webhook in its four forms: a step, a step that sends a message, a campaign, and a second one of marketing. */
function flowsOf(url: string) {
  const call = (path: string, more: Item = {}): Item => ({ url: `${url}/${path}/{{\${user_id}}}`, ...more })
  const entry = { by: ['api'], again: 'always' }
  const named = (id: string) => ({ id, name: id, state: 'active' })
  const body = { name: '{{${first_name}}}', code: '{{canvas_entry_properties.${code}}}' }
  return {
    canvases: [
      { ...named('step'), entry, first: 'hook', steps: [{ id: 'hook', type: 'webhook', ...call('step', { body }) }] },
      {
        ...{ ...named('message'), entry, first: 'hook' },
        steps: [{ id: 'hook', type: 'message', channel: 'webhook', message: call('message', { method: 'PUT' }) }],
      },
    ],
    campaigns: [
      {
        ...{ ...named('news'), recipient_subscription_state: 'opted_in' },
        messages: [{ id: 'one', webhook: call('news', { headers: { Authorization: `Bearer ${typed}` } }) }],
      },
    ],
  }
}

/** What the tests do with one service. */
export function webhookActions(service: () => Service, receiver: () => WebhookReceiver) {
  const messages = async (id: string): Promise<Item[]> => {
    const asked = { external_ids: [id], fields_to_export: ['service_id'] }
    const { users } = (await service().post('/users/export/ids', asked)).body
    return (await service().admin('GET', `/admin/messages?person=${users[0].service_id}`)).body.messages
  }
  const hook = (more: Item = {}): Item => ({ url: `${receiver().url}/order/{{\${user_id}}}`, ...more })
  return {
    messages,
    hook,
    async person(more: Item = {}) {
      const id = newId()
      const answer = await service().post('/users/track', { attributes: [{ external_id: id, ...more }] })
      assert.equal(answer.status, 201, answer.text)
      return id
    },
    async send(ids: readonly string[], webhook: Item, more: Item = {}) {
      const body = { external_user_ids: ids, messages: { webhook }, ...more }
      const answer = await service().post('/messages/send', body)
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
      return String(answer.body.dispatch_id)
    },
    async trigger(kind: 'canvas' | 'campaigns', flow: string, id: string) {
      const properties = kind === 'canvas' ? { canvas_entry_properties: { code: 'a"b' } } : {}
      const body = {
        [kind === 'canvas' ? 'canvas_id' : 'campaign_id']: flow,
        recipients: [{ external_user_id: id, ...properties }],
      }
      const answer = await service().post(`/${kind}/trigger/send`, body)
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
    },
    states: async (id: string) => (await messages(id)).map(({ reason, state }) => reason ?? state),
    callsFor: (id: string) => receiver().calls.filter(({ url }) => url?.endsWith(`/${id}`)),
    async decision(id: string) {
      const { decisions } = (await service().admin('GET', `/admin/why?external_id=${id}`)).body
      return (decisions as Item[]).find(({ channel }) => channel === 'webhook')!
    },
  }
}

export async function startWithWebhooks(
  database: 'pglite' | 'postgres',
  [receiver, ...others]: readonly [WebhookReceiver, ...WebhookReceiver[]],
  settings: Item,
) {
  return startService({
    database,
    workspace: {
      ...sendingWorkspace,
      settings: { ...sendingWorkspace.settings, time_zone: 'UTC', ...settings },
      credentials: [{ name: 'crm', user_name: 'easel', password, origins: [receiver.url] }],
      ...flowsOf(receiver.url),
    },
    env: {
      EASEL_CLOCK: 'virtual',
      EASEL_FETCH_ALLOW: [receiver, ...others].map(({ port }) => `127.0.0.1:${port}`).join(','),
    },
  })
}
