import fc from 'fast-check'

type Item = Readonly<Record<string, unknown>>

export const unknownCanvas = 'canvas_id must be a string of the Canvas api identifier'
export const later = { time: '2040-01-01T10:00:00Z' }

export const ann = { external_user_id: 'ann' }
/** Returns a valid request to a canvas; `more` overrides its fields. */
export const order = (more: Item = {}): Item => ({ canvas_id: 'welcome', recipients: [ann], ...more })
export const to = (...recipients: unknown[]): Item => order({ recipients })
export const made = (more: Item) => to({ ...ann, ...more })

export function deep(levels: number): unknown {
  return levels === 0 ? 'x' : { inner: deep(levels - 1) }
}

/** Returns properties of exactly this many bytes. */
export const sized = (bytes: number): Item => ({ text: 'a'.repeat(bytes - JSON.stringify({ text: '' }).length) })

/** Bodies with one invalid member, and the text of the refusal. */
export const refusals: readonly [what: string, body: unknown, message: string][] = [
  ['the body is a list', [], 'The request body must be an object'],
  ['there is no canvas', { recipients: [ann] }, unknownCanvas],
  ['the canvas is a number', order({ canvas_id: 7 }), unknownCanvas],
  ['the canvas is an empty variable', order({ canvas_id: '' }), unknownCanvas],
  ['the canvas holds NUL', order({ canvas_id: 'a\0' }), unknownCanvas],
  ['the canvas is unknown', order({ canvas_id: 'summer' }), unknownCanvas],
  ['the canvas is a campaign', order({ canvas_id: 'news' }), unknownCanvas],
  [
    'the canvas is entered by events only',
    order({ canvas_id: 'on-event' }),
    "The Canvas is not triggered by the API: its 'entry.by' does not name api",
  ],
  ['recipients are a text', order({ recipients: 'ann' }), "'recipients' must be an array of objects"],
  ['recipients are a flag', order({ recipients: true }), "'recipients' must be an array of objects"],
  ['a recipient is a text', to('ann'), "'recipients[0]' must be an object"],
  ['a recipient is null', to(ann, null), "'recipients[1]' must be an object"],
  [
    'a recipient has no identifier',
    to(ann, {}),
    "'recipients[1]' must have one of 'external_user_id', 'user_alias', 'service_id' or 'email'",
  ],
  ['an id is a fraction', to({ external_user_id: 1.5 }), "'recipients[0].external_user_id' is not valid"],
  ['an id is too long', to({ external_user_id: 'i'.repeat(988) }), "'recipients[0].external_user_id' is not valid"],
  ['an id holds half a character', to({ external_user_id: '\ud800' }), "'recipients[0].external_user_id' is not valid"],
  ['an external_id is an object', to({ external_id: {} }), "'recipients[0].external_id' is not valid"],
  ['an alias alone is a text', to({ user_alias: 'ann' }), "'recipients[0].user_alias' is not valid"],
  ['an alias has no label', to({ user_alias: { alias_name: 'a' } }), "'recipients[0].user_alias' is not valid"],
  ['an email is not an address', to({ email: 'ann' }), "'recipients[0].email' is not valid"],
  ['a priority is unknown', to({ email: 'a@b.co', prioritization: ['loudest'] }), 'recipients[0].prioritization'],
  [
    'properties are a list',
    made({ canvas_entry_properties: [] }),
    "'recipients[0].canvas_entry_properties' must be an object",
  ],
  ['properties are a text', made({ context: 'a' }), "'recipients[0].context' must be an object"],
  ['properties of all are a number', order({ trigger_properties: 7 }), "'trigger_properties' must be an object"],
  ['properties hold NUL', order({ canvas_entry_properties: { a: '\0' } }), "'canvas_entry_properties' is not valid"],
  ['properties are too deep', order({ context: deep(51) }), "'context' is not valid"],
  [
    'properties hold a number of too many digits',
    order({ context: { a: JSON.rawJSON('7'.repeat(1001)) } }),
    "'context' is not valid",
  ],
  ['a flag is a number', order({ broadcast: 1 }), "'broadcast' must be true or false"],
  [
    'broadcast is given with recipients',
    order({ broadcast: true }),
    "'broadcast' must be false when 'recipients' are given",
  ],
  ['an audience is an empty variable', order({ audience: '' }), 'audience'],
  ['an audience has no condition', order({ audience: { AND: [] } }), 'audience.AND is empty'],
  [
    'a missing person is created without attributes',
    made({ send_to_existing_only: false }),
    "'recipients[0].attributes' is required when 'send_to_existing_only' is false",
  ],
  [
    'a missing person is created by an alias',
    to({ user_alias: { alias_name: 'a', alias_label: 'b' }, send_to_existing_only: false, attributes: {} }),
    "'recipients[0].send_to_existing_only' may be false only with 'external_user_id' or 'email'",
  ],
  [
    'send_to_existing_only is a number',
    made({ send_to_existing_only: 0 }),
    "'recipients[0].send_to_existing_only' must be true or false",
  ],
  ['attributes are a list', made({ attributes: [] }), "'recipients[0].attributes' must be an object"],
  [
    'an attribute has a rule of its own',
    made({ attributes: { email: 'ann' } }),
    "'recipients[0].attributes': The value provided for the 'email' field is not a valid email.",
  ],
  [
    'attributes are for a reserved user',
    to({ external_user_id: 'dummy-user', attributes: {} }),
    'provided external_id is blacklisted and disallowed',
  ],
]

const odd = fc.oneof(
  fc.constantFrom(null, '', true, 0, -1, 1.5, [], {}, 'ann', '\0', '\ud800', 'a'.repeat(2_000), [null], { inner: [] }),
  fc.jsonValue(),
)
const oddRecipient = fc.record(
  {
    external_user_id: fc.oneof(fc.constant('ann'), odd),
    user_alias: odd,
    service_id: odd,
    email: fc.oneof(fc.constant('ann@example.com'), odd),
    prioritization: odd,
    canvas_entry_properties: odd,
    send_to_existing_only: odd,
    attributes: odd,
  },
  { requiredKeys: [] },
)
/** Requests in which most members are invalid. */
export const oddOrder = fc.record(
  {
    canvas_id: fc.oneof({ weight: 6, arbitrary: fc.constant('welcome') }, odd),
    recipients: fc.oneof(fc.array(fc.oneof(oddRecipient, odd), { maxLength: 3 }), odd),
    audience: odd,
    broadcast: odd,
    context: odd,
    schedule: fc.oneof(fc.constant(later), odd),
    schedule_id: odd,
  },
  { requiredKeys: [] },
)
