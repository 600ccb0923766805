import assert from 'node:assert/strict'
import { type Database, type Service, startService } from './harness.ts'
import { sendingWorkspace } from './messages.ts'
import { type Item, newId } from './people.ts'
import type { Browser } from './push-service.ts'

/** The apps of `pushWorkspace`. */
export const site = { id: 'a0000000-0000-4000-8000-0000000000a1', name: 'Site', platform: 'web' }
export const phone = { id: 'a0000000-0000-4000-8000-0000000000a2', name: 'Phone', platform: 'ios' }
export const robot = { id: 'a0000000-0000-4000-8000-0000000000a3', name: 'Robot', platform: 'android' }

/** A workspace whose canvas and campaigns send pushes. */
export const pushWorkspace = {
  ...sendingWorkspace,
  settings: { time_zone: 'UTC' },
  apps: [site, phone, robot],
  subscription_groups: [],
  canvases: [
    {
      ...{ id: 'greet', name: 'Greet', state: 'active', entry: { by: ['api'], again: 'always' }, first: 'say' },
      steps: [
        {
          ...{ id: 'say', type: 'message', channel: 'web_push' },
          message: {
            title: 'Hi {{${first_name}}}',
            alert: 'Your {{custom_attribute.${plan}}} plan',
            custom_uri: 'https://shop.example.com',
          },
        },
      ],
    },
  ],
  campaigns: [
    { id: 'sale', name: 'Sale', state: 'active', messages: [{ id: 'one', web_push: { alert: 'Sale!' } }] },
    {
      ...{ id: 'code', name: 'Code', state: 'active', class: 'transactional' },
      messages: [{ id: 'two', android_push: { title: 'Code', alert: '1234' } }],
    },
  ],
}

/** A push token of a request. */
export type Token = {
  readonly app_id: string
  readonly token: string
  readonly device_id?: string
  readonly notifications_enabled?: boolean
}

/** Returns the push token of a browser. */
export const onSite = ({ token }: Browser, device_id = `browser-${newId()}`): Token => ({
  app_id: site.id,
  token,
  device_id,
})

/** Returns what tests of pushes do with one service. */
export function pushActions(service: () => Service) {
  const userOf = async (id: string): Promise<Item> => {
    const asked = { external_ids: [id], fields_to_export: ['service_id', 'push_tokens'] }
    return (await service().post('/users/export/ids', asked)).body.users[0]
  }
  const messages = async (id: string): Promise<Item[]> => {
    const { service_id } = await userOf(id)
    return (await service().admin('GET', `/admin/messages?person=${service_id}`)).body.messages
  }
  return {
    messages,
    tokensOf: async (id: string) =>
      ((await userOf(id)).push_tokens as Item[] | undefined)?.map(({ token }) => token) ?? [],
    async person(push_tokens: readonly Token[], more: Item = {}) {
      const id = newId()
      const answer = await service().post('/users/track', { attributes: [{ external_id: id, push_tokens, ...more }] })
      assert.equal(answer.status, 201, answer.text)
      return id
    },
    async send(ids: readonly string[], content: Item, more: Item = {}) {
      const answer = await service().post('/messages/send', { external_user_ids: ids, messages: content, ...more })
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
    },
    async trigger(kind: 'canvas' | 'campaigns', flow: string, id: string) {
      const name = kind === 'canvas' ? 'canvas_id' : 'campaign_id'
      const answer = await service().post(`/${kind}/trigger/send`, {
        [name]: flow,
        recipients: [{ external_user_id: id }],
      })
      assert.equal(answer.status, 201, answer.text)
      await service().advance('PT1S')
    },
    async refused(content: Item, expected: RegExp) {
      const answer = await service().post('/messages/send', { external_user_ids: ['x'], messages: content })
      assert.equal(answer.status, 400, `${JSON.stringify(content).slice(0, 200)} ${answer.text}`)
      assert.match(answer.text, expected)
    },
    reasons: async (id: string) => (await messages(id)).map(({ reason, state }) => reason ?? state),
  }
}

/** Starts a service with a virtual clock that sends pushes as `env` says. */
export const startPushing = (database: Database, env: { readonly [name: string]: string }) =>
  startService({ database, workspace: pushWorkspace, env: { EASEL_CLOCK: 'virtual', ...env } })
