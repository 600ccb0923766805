import { mail } from './messages.ts'
import { apps, groups } from './people.ts'

type Item = Readonly<Record<string, unknown>>

const isGold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }
export const audience = { AND: [isGold] }

/** Returns a canvas with one mail. `more` overrides its fields. */
export function canvas(id: string, more: Item = {}): Item {
  const subject = 'For {{${first_name}}}: {{canvas_entry_properties.${shoe}}}'
  const steps = [{ id: 'hello', type: 'message', channel: 'email', message: mail({ subject }) }]
  return {
    id,
    name: `Canvas ${id}`,
    state: 'active',
    entry: { by: ['api'], again: 'always' },
    first: 'hello',
    steps,
    ...more,
  }
}

/** Returns a campaign with one mail. `more` overrides its fields. */
export function campaign(id: string, more: Item = {}): Item {
  const subject = 'For {{${first_name}}}: {{api_trigger_properties.${shoe}}}'
  return {
    id,
    name: `Campaign ${id}`,
    state: 'active',
    messages: [{ id: `${id}-a`, email: mail({ subject }) }],
    ...more,
  }
}

const onEvent = { entry: { by: ['event'], event: { name: 'bought' } } }
const file = { file_name: 'terms', url: 'https://example.com/terms.pdf' }
const states = ['paused', 'archived', 'draft'] as const

/** A workspace with canvases and campaigns of every state. */
export const triggeredWorkspace = {
  settings: { reserved_external_ids: ['dummy-user'] },
  apps: Object.values(apps),
  subscription_groups: Object.values(groups),
  segments: [{ id: 'gold', name: 'Gold members', audience: isGold }],
  canvases: [
    canvas('welcome'),
    canvas('for-gold', { segment: { segment_id: 'gold' } }),
    canvas('on-event', onEvent),
    ...states.map((state) => canvas(state, { state })),
  ],
  campaigns: [
    campaign('news'),
    campaign('on-event', onEvent),
    campaign('two', {
      messages: [
        { id: 'two-a', name: 'A', percent: 50, email: mail() },
        { id: 'two-b', name: 'B', percent: 50, email: mail({ subject: 'Other' }) },
      ],
    }),
    campaign('with-files', { messages: [{ id: 'with-files-a', email: mail({ attachments: [file, file] }) }] }),
    ...states.map((state) => campaign(state, { state })),
  ],
}
