import type { Static } from 'typebox'
import { conflict } from '../../base/errors.ts'
import type { ConfigSection, EntryResolution, GivenEntry } from '../../workspace/file/config-section.ts'
import { deleteWebhook, insertWebhooks, listWebhooks, updateWebhooks, type WebhookEntry } from './config-store.ts'
import { StoredWebhook, WebhookShape, webhooksMax } from './schema.ts'
import { newSecret } from './sign.ts'

/** The section `webhooks`: receivers of the events of the feed. A secret is returned once, when it is made. */
export const webhooksSection: ConfigSection<WebhookEntry> = {
  name: 'webhooks',
  path: 'webhooks',
  one: 'webhook',
  shape: WebhookShape,
  stored: StoredWebhook,
  countMax: webhooksMax,
  counts: () => true,
  list: listWebhooks,
  resolve: resolveWebhook,
  toReply: ({ secret: _hidden, ...webhook }) => ({ ...webhook }),
  secret: { member: 'secret', note: 'is not in this file; another installation makes a new one and shows it once' },
  async insert(tx, workspace_id, webhooks, at) {
    const made = webhooks.map((webhook) => ({ ...webhook, secret: webhook.secret ?? newSecret() }))
    const written = await insertWebhooks(tx, workspace_id, made, at)
    const refused = made.find(({ id }) => !written.has(id))
    if (refused) throw conflict(`webhooks: the id or the name of "${refused.name}" is in use already`)
    return made.flatMap(({ id, name, secret }, i) =>
      webhooks[i]!.secret === undefined ? [{ member: 'webhooks', id, name, key: secret }] : [],
    )
  },
  update: updateWebhooks,
  endSummary: 'Delete a webhook, with its attempts. Events that it did not get are not sent.',
  end: deleteWebhook,
}

function resolveWebhook(
  given: GivenEntry & { readonly id: string },
  before: WebhookEntry | undefined,
): EntryResolution<WebhookEntry> {
  const { name, url, event_types, state, secret } = given as unknown as Static<typeof WebhookShape>
  return {
    entry: {
      id: given.id,
      name,
      url,
      // One order, so that a list in another order is no change.
      event_types: [...(event_types ?? before?.event_types ?? [])].sort() as WebhookEntry['event_types'],
      state: state ?? before?.state ?? 'active',
      ...((secret ?? before?.secret) !== undefined && { secret: secret ?? before!.secret! }),
    },
  }
}
