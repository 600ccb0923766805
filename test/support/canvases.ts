import { mail } from './messages.ts'
import type { Item } from './people.ts'

/** Returns a step that sends a mail with this subject. */
export const message = (id: string, next?: string, subject = id): Item => {
  return { id, type: 'message', channel: 'email', message: mail({ subject }), ...(next && { next }) }
}

/** Returns a canvas that begins with the first of these steps. */
export const canvas = (id: string, steps: readonly Item[], more: Item = {}): Item => ({
  id,
  name: id,
  state: 'active',
  class: 'transactional',
  entry: { by: ['api'], again: 'always' },
  ...(!('variants' in more) && { first: steps[0]!.id }),
  steps,
  ...more,
})

export const isPlan = (value: string): Item => ({
  AND: [{ custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value } }],
})

/** A canvas for each kind of step and each entry rule. */
export const canvases = [
  canvas('waits', [message('hello', 'wait'), { id: 'wait', type: 'delay', for: 'P3D', next: 'bye' }, message('bye')]),
  canvas('morning', [
    { id: 'wait', type: 'delay', until: '09:00', weekdays: ['mon'], next: 'monday' },
    message('monday', undefined, 'Good morning'),
  ]),
  canvas('decides', [
    { id: 'gold', type: 'decision', audience: isPlan('gold'), yes: 'thanks', no: 'nudge' },
    message('thanks'),
    message('nudge'),
  ]),
  canvas('parts', [
    {
      id: 'plan',
      type: 'paths',
      paths: [
        { name: 'Gold', audience: isPlan('gold'), next: 'golden' },
        { name: 'Silver', audience: isPlan('silver'), next: 'silvern' },
      ],
      otherwise: 'plain',
    },
    message('golden'),
    message('silvern'),
    message('plain'),
  ]),
  canvas('tries', [
    {
      id: 'try',
      type: 'experiment',
      paths: [
        { percent: 50, next: 'one' },
        { percent: 50, next: 'two' },
      ],
    },
    message('one'),
    message('two'),
  ]),
  canvas('writes', [
    {
      id: 'tag',
      type: 'update_user',
      attributes: { plan: 'gold', visits: { inc: 1 }, first_name: 'Ann' },
      next: 'gold',
    },
    { id: 'gold', type: 'decision', audience: isPlan('gold'), yes: 'written', no: 'lost' },
    message('written', undefined, 'Dear {{${first_name}}}'),
    message('lost'),
  ]),
  canvas('acts', [
    {
      id: 'act',
      type: 'action_paths',
      within: 'P2D',
      paths: [{ name: 'Bought', event: 'order_placed', next: 'bought' }],
      otherwise: 'forgotten',
    },
    message('bought'),
    message('forgotten'),
  ]),
  canvas('calls', [
    {
      id: 'hook',
      type: 'webhook',
      url: 'https://hooks.example.com/{{${user_id}}}',
      method: 'POST',
      headers: { 'X-Plan': '{{custom_attribute.${plan}}}' },
      body: { code: "{{canvas_entry_properties.${code} | append: '\"'}}", visits: [1] },
      next: 'called',
    },
    message('called'),
  ]),
  canvas(
    'leaves',
    [message('before', 'wait'), { id: 'wait', type: 'delay', for: 'P1D', next: 'after' }, message('after')],
    {
      exit: { events: ['order_placed'] },
    },
  ),
  canvas('once', [message('only')], { entry: { by: ['api'], again: 'never' } }),
  canvas('monthly', [message('monthly')], { entry: { by: ['api'], again: { after: 'P30D' } } }),
  canvas('controlled', [message('seen')], { control_percent: 50 }),
  canvas('varies', [message('a'), message('b')], {
    variants: [
      { name: 'A', percent: 50, first: 'a' },
      { name: 'B', percent: 50, first: 'b' },
    ],
  }),
  canvas('pauses', [message('start', 'wait'), { id: 'wait', type: 'delay', for: 'P1D', next: 'end' }, message('end')]),
  canvas('stops', [message('start', 'wait'), { id: 'wait', type: 'delay', for: 'P1D', next: 'end' }, message('end')]),
]

/** A canvas that people enter each day at a time in their own zone. */
export const daily = canvas('daily', [message('daily')], {
  segment: isPlan('daily'),
  entry: { schedule: { at: '09:00', zone: 'local' }, again: 'always' },
})
