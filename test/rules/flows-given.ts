export const email = { app_id: 'web', from: 'Shop <shop@example.com>', subject: 'Hello', body: '<p>Hello</p>' }
export const gold = { custom_attribute: { custom_attribute_name: 'plan', comparison: 'equals', value: 'gold' } }
export const hi = { id: 'hi', type: 'message', message: email }
export const least = { id: 'c', first: 'hi', steps: [hi] }

/** Returns a canvas with this step, which leads to a message. */
const around = (step: object) => ({ ...least, first: 'own', steps: [{ id: 'own', ...step }, hi] })
export const after = (next: object) => around({ type: 'delay', for: 'P1D', ...next })
export const entered = (entry: object) => ({ ...least, entry })
const many = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i))
/** Returns this many delays, one after the other. */
const chain = (count: number) => ({
  ...least,
  first: 's0',
  steps: many(count, (i) => ({ id: `s${i}`, type: 'delay', for: 'PT1S', ...(i < count - 1 && { next: `s${i + 1}` }) })),
})
const paths = (count: number) => many(count, (i) => ({ ...(i === 0 && { next: 'hi' }), audience: gold }))
export const conversions = (count: number) => many(count, () => ({ on: 'bought', within: 'P7D' }))
const exits = (count: number) => ({ events: many(count, (i) => `e${i}`) })
const properties = (count: number) => Object.fromEntries(many(count, (i) => [`p${i}`, i]))
const variants = (count: number) => many(count, (i) => ({ percent: i === 0 ? 101 - count : 1, first: 'hi' }))
const attributes = (count: number) => Object.fromEntries(many(count, (i) => [`a${i}`, i]))
const tags = (attributes: unknown) => around({ type: 'update_user', attributes, next: 'hi' })
const hook = (more: object) => around({ type: 'webhook', url: 'https://example.com/', next: 'hi', ...more })

/** Canvases at the limits. */
export const good: readonly (readonly [title: string, given: object])[] = [
  ['the least', least],
  ['null is the same as absent', { ...least, exit: null, entry: null, variants: null, rate: null, conversions: null }],
  ['a stored segment by id', { ...least, segment: { segment_id: 'gold-id' } }],
  ['a stored segment by name', { ...least, audience: { segment_id: 'Gold' } }],
  ['a tree', { ...least, segment: { AND: [gold, { segment: { segment_id: 'Gold' } }] } }],
  ['all entry triggers', entered({ by: ['api', 'schedule', 'event'], event: 'signed_up', schedule: { at: '09:00' } })],
  ['an event by its name', entered({ event: { name: 'signed_up', properties: { plan: 'gold' } } })],
  ['re-entry after a period', entered({ again: { after: 'P30D' } })],
  ['re-entry after the longest period', entered({ again: { after: 'P730D' } })],
  ['a step that waits for a second', after({ for: 'PT1S', next: 'hi' })],
  ['a step that waits until a time', after({ for: null, until: '23:59', weekdays: ['sun', 'mon'], next: 'hi' })],
  ['two hundred steps', chain(200)],
  ['twenty paths', around({ type: 'paths', paths: paths(20) })],
  ['four conversions', { ...least, conversions: conversions(4) }],
  ['twenty exits', { ...least, exit: exits(20) }],
  ['twenty properties', entered({ event: { event: 'e', properties: properties(20) } })],
  ['eight variants', { ...least, first: null, variants: variants(8) }],
  ['seventy-five attributes', tags(attributes(75))],
  ['all in the control group', { ...least, control_percent: 100 }],
  ['the highest rate', { ...least, rate: '1000000/day' }],
  [
    'a cycle with a delay',
    {
      ...least,
      steps: [
        { ...hi, next: 'w' },
        { id: 'w', type: 'delay', for: 'P1D', next: 'hi' },
      ],
    },
  ],
  [
    'a cycle with action paths',
    {
      ...least,
      steps: [
        { ...hi, next: 'w' },
        { id: 'w', type: 'action_paths', within: 'P1D', paths: [{ event: 'e', next: 'hi' }] },
      ],
    },
  ],
  ['a webhook', hook({ method: 'PUT', headers: { 'X-Kind': '{{ a }}' }, body: { id: '{{${user_id}}}' } })],
  ['a URL with Liquid', hook({ url: 'https://{{ host }}/' })],
  ['a template', { ...least, steps: [{ ...hi, message: { ...email, body: null, email_template_id: 'welcome' } }] }],
  ['transactional mail to all states', { ...least, class: 'transactional', recipient_subscription_state: 'all' }],
]

/** Refused canvases, each with its mistake as `path message`. */
export const bad: readonly (readonly [given: object, mistake: string])[] = [
  [{ ...least, steps: undefined }, 'steps is missing; it must be a list of 1 to 200 steps'],
  [{ ...least, steps: [] }, 'steps must be a list of 1 to 200 steps, not of 0'],
  [chain(201), 'steps must be a list of 1 to 200 steps, not of 201'],
  [{ ...least, steps: ['hi'] }, 'steps[0] must be an object with id and type, not "hi"'],
  [{ ...least, steps: [{ id: 'hi' }] }, `steps[0].type is missing; it must be one of ${typesText()}`],
  [around({ type: 'sms' }), `steps[0].type must be one of ${typesText()}, not "sms"`],
  [after({ wait: 1 }), 'steps[0].wait is not known here; known are id, name, type, for, until, weekdays, next'],
  [{ ...least, steps: [hi, hi] }, 'steps[1].id is the same as that of steps[0]'],
  ...['', '-a', 'a b', 'a'.repeat(65), '__proto__', 'constructor', 7, null, {}].map((id): [object, string] => [
    { ...least, steps: [{ ...hi, id }] },
    `steps[0].id ${missing(id)} an id of 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first${notText(id)}`,
  ]),
  [
    { ...least, first: undefined },
    'first is missing; it must be an id of 1 to 64 letters, digits, dots, dashes or underscores, a letter or digit first',
  ],
  [{ ...least, first: 'other' }, 'first names a step that does not exist: "other"'],
  [after({ next: 'other' }), 'steps[0].next names a step that does not exist: "other"'],
  [after({}), 'steps[1] is never reached: no step leads to hi'],
  [
    around({ type: 'paths', paths: [{ audience: gold, next: 'no' }] }),
    'steps[0].paths[0].next names a step that does not exist: "no"',
  ],
  [
    around({ type: 'decision', audience: gold, yes: 'own', no: 'hi' }),
    'steps[0] is in a cycle without a delay: own -> own',
  ],
  [
    {
      ...least,
      steps: [
        { ...hi, next: 'x' },
        { id: 'x', type: 'experiment', paths: [{ percent: 100, next: 'hi' }] },
      ],
    },
    'steps[0] is in a cycle without a delay: hi -> x -> hi',
  ],
  [after({ for: 'P1M', next: 'hi' }), `steps[0].for must be ${waitText()}, not "P1M"`],
  [after({ for: 'PT0S', next: 'hi' }), `steps[0].for must be ${waitText()}, not "PT0S"`],
  [after({ for: 'P731D', next: 'hi' }), `steps[0].for must be ${waitText()}, not "P731D"`],
  [after({ for: 60, next: 'hi' }), `steps[0].for must be ${waitText()}, not 60`],
  [after({ until: '09:00', next: 'hi' }), 'steps[0] must have for or until, not both'],
  [after({ for: null, next: 'hi' }), 'steps[0] must have for or until'],
  [after({ weekdays: ['mon'], next: 'hi' }), 'steps[0].weekdays must be left out without until'],
  [
    after({ for: null, until: '24:00', next: 'hi' }),
    'steps[0].until must be a time of day such as "09:00", not "24:00"',
  ],
  [
    after({ for: null, until: '09:00', weekdays: ['mon', 'mon'] }),
    'steps[0].weekdays must be a list of different days of mon, tue, wed, thu, fri, sat, sun',
  ],
  [around({ type: 'decision', yes: 'hi' }), 'steps[0].audience is missing; it must be a tree of conditions'],
  [around({ type: 'decision', audience: gold, segment: gold }), 'steps[0] must have segment or audience, not both'],
  [
    around({ type: 'decision', audience: { segment_id: 'none' } }),
    'steps[0].audience.segment_id names a segment that does not exist: "none"',
  ],
  [around({ type: 'paths', paths: paths(21) }), 'steps[0].paths must be a list of 1 to 20 paths, not of 21'],
  [
    around({
      type: 'paths',
      paths: [
        { name: 'a', audience: gold },
        { name: 'a', audience: gold },
      ],
    }),
    'steps[0].paths[1].name is the same as that of steps[0].paths[0]',
  ],
  [
    around({ type: 'experiment', paths: [{ percent: 50, next: 'hi' }, { percent: 49 }] }),
    'steps[0].paths must have percents that add to 100, not 99',
  ],
  [
    around({ type: 'experiment', paths: [{ percent: 0.5, next: 'hi' }] }),
    'steps[0].paths[0].percent must be a whole number from 0 to 100, not 0.5',
  ],
  [around({ type: 'action_paths', paths: [{ event: 'e' }] }), `steps[0].within is missing; it must be ${waitText()}`],
  [
    around({ type: 'action_paths', within: 'P1D', paths: [{ next: 'hi' }] }),
    'steps[0].paths[0] must have event or purchase',
  ],
  [
    around({ type: 'action_paths', within: 'P1D', paths: [{ event: 'e', same: ['id'], next: 'hi' }] }),
    'steps[0].paths[0].same has nothing to compare with: people do not enter by an event',
  ],
  [tags({}), 'steps[0].attributes must be an object of attributes, not an object'],
  [tags({ email: 'a@example.com' }), 'steps[0].attributes.email names or addresses a person: a step cannot set it'],
  [tags(attributes(76)), 'steps[0].attributes must have at most 75 attributes'],
  [tags({ a: 'x'.repeat(102_400) }), 'steps[0].attributes must be at most 102400 bytes as JSON'],
  [
    hook({ url: 'ftp://example.com' }),
    'steps[0].url must be a URL of http or https of at most 2000 characters, not "ftp://example.com"',
  ],
  [hook({ url: '{{ a' }), 'steps[0].url contains malformed liquid at line 1, column 1: output "{{ a" not closed'],
  [hook({ method: 'TRACE' }), 'steps[0].method must be one of GET, POST, PUT, PATCH, DELETE, not "TRACE"'],
  [hook({ headers: { Host: 'a' } }), 'steps[0].headers.Host must not be set: it is reserved'],
  [
    hook({ headers: { 'X-A': 'a\r\nX-B: b' } }),
    'steps[0].headers["X-A"] must be one line of at most 998 characters, not "a\\r\\nX-B: b"',
  ],
  [hook({ body: 'x'.repeat(102_401) }), 'steps[0].body must be at most 102400 bytes'],
  [
    hook({ body: { a: ['\u0000'] } }),
    'steps[0].body must be nested at most 50 deep, without NUL characters and half surrogate pairs',
  ],
  [
    { ...least, steps: [{ ...hi, message: { ...email, app_id: 'other' } }] },
    'steps[0].message.app_id must be the id of an app of this workspace',
  ],
  [
    { ...least, steps: [{ ...hi, message: { ...email, color: 1 } }] },
    `steps[0].message.color is not known here; known are ${emailText()}`,
  ],
  [
    { ...least, steps: [{ ...hi, message: { ...email, bcc: 'a@example.com' } }] },
    'steps[0].message.bcc must be left out: the workspace has no BCC addresses',
  ],
  [
    { ...least, steps: [{ ...hi, message: { ...email, email_template_id: 'gone' } }] },
    'steps[0].message.email_template_id must be the id of an email template of this workspace',
  ],
  [
    { ...least, steps: [{ ...hi, message: null }] },
    'steps[0].message must be an e-mail object with app_id, from and body',
  ],
  [{ ...least, variants: variants(2) }, 'first must be left out: the variants say where they begin'],
  [{ ...least, first: null, variants: variants(9) }, 'variants must be a list of 1 to 8 variants, not of 9'],
  [
    {
      ...least,
      first: null,
      variants: [
        { percent: 60, first: 'hi' },
        { percent: 50, first: 'hi' },
      ],
    },
    'variants must have percents that add to 100, not 110',
  ],
  [
    { ...least, first: null, variants: [{ first: 'gone' }] },
    'variants[0].first names a step that does not exist: "gone"',
  ],
  [{ ...least, segment: {} }, 'segment is empty; it must have one of'],
  [{ ...least, class: 'urgent' }, 'class must be one of marketing, transactional, not "urgent"'],
  [
    { ...least, recipient_subscription_state: 'all' },
    'recipient_subscription_state must not be all unless class is transactional',
  ],
  [{ ...least, quiet_hours: 'wait' }, 'quiet_hours must be one of hold, skip, ignore, not "wait"'],
  [{ ...least, control_percent: 101 }, 'control_percent must be a whole number from 0 to 100, not 101'],
  ...['0/min', '500', '500/week', '1000001/min', '500/constructor', 500].map((rate): [object, string] => [
    { ...least, rate },
    `rate must be 1 to 1000000 in a second, min, hour or day, such as 500/min, not ${JSON.stringify(rate)}`,
  ]),
  [entered({ by: ['event'] }), 'entry.event is missing: the entry is by event'],
  [entered({ by: ['api'], event: 'e' }), 'entry.by must have event, or event must be left out'],
  [entered({ by: [] }), 'entry.by must be a list of 1 to 3 of api, schedule, event, not of 0'],
  [entered({ by: ['mail'] }), 'entry.by[0] must be one of api, schedule, event, not "mail"'],
  [entered({ again: 'daily' }), 'entry.again must be never, always or {after: ...}, not "daily"'],
  [entered({ again: { after: 'P1Y' } }), `entry.again.after must be ${waitText()}, not "P1Y"`],
  [
    entered({ event: { event: 'e', same: ['id'] } }),
    'entry.event.same has nothing to compare with: it is the first event',
  ],
  [entered({ event: { event: 'e', purchase: 'any' } }), 'entry.event must have event or purchase, not both'],
  [entered({ event: 7 }), 'entry.event must be the name of an event, or an object with event or purchase, not 7'],
  [
    entered({ event: { event: 'e', properties: properties(21) } }),
    'entry.event.properties must have at most 20 properties',
  ],
  [
    entered({ event: { event: 'e', properties: { a: { comparison: 'less_than', value: '5' } } } }),
    'entry.event.properties.a.value must be a number, not "5"',
  ],
  [
    entered({ event: { event: 'e', properties: { a: [1] } } }),
    'entry.event.properties.a must be text of at most 255 characters, a number, true or false, not a list',
  ],
  [
    entered({ event: { event: 'e', properties: { a: { comparison: 'exists', value: 1 } } } }),
    'entry.event.properties.a.value must be left out with exists',
  ],
  [entered({ schedule: { at: '9:00' } }), 'entry.schedule.at must be a time of day such as "09:00", not "9:00"'],
  [
    entered({ schedule: { at: '09:00', days: ['monday'] } }),
    'entry.schedule.days[0] must be one of mon, tue, wed, thu, fri, sat, sun, not "monday"',
  ],
  [
    entered({ schedule: { at: '09:00', zone: '+01:00' } }),
    'entry.schedule.zone must be local or a time zone such as Europe/Paris, not "+01:00"',
  ],
  [
    entered({ schedule: { at: '09:00', from: '2027-02-30' } }),
    'entry.schedule.from must be a date such as "2027-03-01", not "2027-02-30"',
  ],
  [
    entered({ schedule: { at: '09:00', from: '2027-03-02', until: '2027-03-01' } }),
    'entry.schedule.until must not be before from, 2027-03-02',
  ],
  [{ ...least, exit: exits(21) }, 'exit.events must be a list of 1 to 20 events or purchases, not of 21'],
  [
    { ...least, exit: { events: [{ event: 'e', same: ['id'] }] } },
    'exit.events[0].same has nothing to compare with: people do not enter by an event',
  ],
  [{ ...least, conversions: conversions(5) }, 'conversions must be a list of at most 4 conversions, not of 5'],
  [
    { ...least, conversions: [{ on: { opened: 'sms' }, within: 'P1D' }] },
    'conversions[0].on.opened must be one of email, not "sms"',
  ],
  [{ ...least, conversions: [{ on: 'e' }] }, `conversions[0].within is missing; it must be ${waitText()}`],
  [{ ...least, color: 'red' }, 'color is not known here'],
]

function typesText(): string {
  return 'message, delay, decision, paths, action_paths, experiment, update_user, webhook'
}
function waitText(): string {
  return 'a length of time from PT1S to P730D without months and years, such as P3D or PT30M'
}
function emailText(): string {
  const first = 'app_id, subject, from, reply_to, bcc, body, plaintext_body, preheader, email_template_id'
  return `${first}, message_variation_id, extras, headers, should_inline_css, attachments`
}
function missing(id: unknown): string {
  return id === undefined ? 'is missing; it must be' : 'must be'
}
function notText(id: unknown): string {
  const shown = typeof id === 'string' && id.length > 60 ? `${id.slice(0, 60)}...` : id
  return `, not ${id !== null && typeof id === 'object' ? 'an object' : JSON.stringify(shown)}`
}
