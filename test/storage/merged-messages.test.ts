import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { messageColumns } from '../../src/messaging/messages/merged-messages-store.ts'
import { insertMessages } from '../../src/messaging/messages/message-store.ts'
import { type Person, person } from '../../src/people/identity/person.ts'
import { moveLateRows, removeLateRows } from '../../src/people/merge/finish-moving.ts'
import { onAllDatabases } from '../support/databases.ts'
import { act, add, at, dispatchId, insert, located, parts, personOf, type Row, rowsOf, workspace_id } from './crowd.ts'

const [kept, gone, third] = [1, 2, 3].map(personOf) as [Person, Person, Person]
/** Returns a person in the bucket of `kept`. */
const neighbour = person(kept.bucket, String(kept.key + 7n))
const lease = '11111111-0000-4000-8000-000000000001'

function message(message_id: number, state: string, more: Row = {}): Row {
  const ended = ['queued', 'held', 'leased', 'handed_over'].includes(state) ? null : at(9)
  return {
    ...{
      message_id,
      workspace_id,
      cause: dispatchId(1),
      step: '',
      visit: 0,
      channel: 'email',
      class: 'marketing',
      state,
    },
    ...{
      reason: ended && 'sent',
      planned_at: at(1),
      due_at: at(2),
      attempts: 1,
      crashes: 0,
      rates_granted: 0,
      maybe_sent: false,
      address: null,
      subject: null,
    },
    ...{ links: null, warnings: null, response: null, ended_at: ended, bounced_at: null, complained_at: null },
    ...((state === 'leased' || state === 'handed_over') && { lease, leased_until: at(40) }),
    ...more,
  }
}

async function messagesOf(db: Db, who: Person): Promise<string[]> {
  const rows = await db.query<{ text: string }>(sql`
    select concat_ws(' ', message_id, step, visit, state, reason, case when lease is not null then 'with lease' end) as text
    from message where bucket = ${who.bucket} and profile_id = ${who.profile_id}::int8 order by message_id`)
  return rows.map(({ text }) => text)
}

async function decisionsOf(db: Db, who: Person): Promise<string[]> {
  const rows = await db.query<{ text: string }>(sql`
    select concat_ws(' ', message_id, reason, inputs -> 'other_message' ->> 'message_id') as text
    from decision where bucket = ${who.bucket} and profile_id = ${who.profile_id}::int8 order by time, message_id`)
  return rows.map(({ text }) => text)
}

onAllDatabases('the statement that moves messages has every column', async (open) => {
  const db = await open()
  const rows = await db.query<{ name: string }>(sql`
    select attname::text as name from pg_attribute where attrelid = 'message'::regclass and attnum > 0 and not attisdropped`)
  assert.deepEqual([...messageColumns].sort(), rows.map(({ name }) => name).sort())
})

onAllDatabases('a merge before, during or after sending loses no mail and repeats none', async (open) => {
  const db = await open()
  const pairs: readonly [gone: string, kept: string, after: string[], maybe_sent?: 'gone' | 'kept'][] = [
    // Before: one of two messages is sent.
    ['queued', 'queued', ['1 queued', '2 merged:2 cancelled merged']],
    ['held', 'queued', ['1 queued', '2 merged:2 cancelled merged']],
    // During: a mail in preparation for a removed person is abandoned, a mail that a server may have is not.
    ['leased', 'queued', ['1 queued', '2 merged:2 cancelled merged']],
    ['leased', 'handed_over', ['1 handed_over with lease', '2 merged:2 cancelled merged']],
    ['handed_over', 'leased', ['1 merged:1 cancelled merged', '2 handed_over with lease']],
    // After: a person with a mail gets no second one.
    ['accepted', 'queued', ['1 merged:1 cancelled merged', '2 accepted sent']],
    ['queued', 'accepted', ['1 accepted sent', '2 merged:2 cancelled merged']],
    ['uncertain', 'held', ['1 merged:1 cancelled merged', '2 uncertain sent']],
    ['accepted', 'accepted', ['1 accepted sent', '2 merged:2 accepted sent']],
    ['accepted', 'suppressed', ['1 merged:1 suppressed sent', '2 accepted sent']],
    // A message with an unknown earlier outcome wins, and is uncertain when it is not sent again.
    ['queued', 'queued', ['1 merged:1 cancelled merged', '2 queued'], 'gone'],
    ['queued', 'accepted', ['1 accepted sent', '2 merged:2 uncertain uncertain'], 'gone'],
    ['queued', 'held', ['1 held', '2 merged:2 cancelled merged'], 'kept'],
    ['handed_over', 'leased', ['1 merged:1 uncertain uncertain', '2 handed_over with lease'], 'kept'],
  ]
  for (const [i, [fromState, intoState, after, maybe_sent]] of pairs.entries()) {
    const [from, into] = [
      personOf(100 + 2 * i),
      i % 2 === 0
        ? personOf(101 + 2 * i)
        : person(personOf(100 + 2 * i).bucket, String(personOf(100 + 2 * i).key + 1n)),
    ]
    const cause = { cause: dispatchId(100 + i) }
    await add(db, from, { message: [message(2, fromState, { ...cause, maybe_sent: maybe_sent === 'gone' })] })
    await add(db, into, { message: [message(1, intoState, { ...cause, maybe_sent: maybe_sent === 'kept' })] })
    await act(db, { type: 'merge', from, into })
    const shown = (await messagesOf(db, into)).map((text) => text.replace(' 0 ', ' ').replace('  ', ' '))
    assert.deepEqual(shown, after, `${fromState} into ${intoState}`)
    assert.deepEqual(await messagesOf(db, from), [])
    const ended = after.findIndex((text) => / (merged|uncertain)$/.test(text)) + 1
    const reason = after[ended - 1]?.split(' ').at(-1)
    assert.deepEqual(
      await decisionsOf(db, into),
      ended ? [`${ended} ${reason} ${3 - ended}`] : [],
      `${fromState} into ${intoState}`,
    )
  }
})

onAllDatabases('messages move to a kept person who has none of the dispatch', async (open) => {
  const db = await open()
  const facts = {
    address: 'a@example.com',
    subject: 'Hello',
    links: ['https://a.example/'],
    warnings: ['w'],
    response: '250',
  }
  await add(db, gone, {
    message: [
      message(1, 'leased', { rates_granted: 2 }),
      message(2, 'handed_over', { cause: dispatchId(2), ...facts }),
      message(3, 'accepted', { cause: dispatchId(3), ...facts, bounced_at: at(5), complained_at: at(6) }),
    ],
  })
  await add(db, kept, { message: [message(4, 'queued', { cause: dispatchId(4) })] })
  await add(db, neighbour, { message: [message(5, 'queued', { cause: dispatchId(5) })] })
  const before = await rowsOf(db, 'message', gone)
  await act(db, { type: 'merge', from: gone, into: kept })
  await act(db, { type: 'merge', from: neighbour, into: kept })
  assert.deepEqual(await messagesOf(db, kept), [
    '1  0 queued',
    '2  0 handed_over with lease',
    '3  0 accepted sent',
    '4  0 queued',
    '5  0 queued',
  ])
  const after = await rowsOf(db, 'message', kept)
  const same = ({ message_id }: Row) => message_id === '2' || message_id === '3'
  assert.deepEqual(after.filter(same), before.filter(same))
  assert.equal(after.find(({ message_id }) => message_id === '1')!.rates_granted, '2')
  assert.deepEqual(await decisionsOf(db, kept), [])
})

onAllDatabases(
  'a message that is written for a merged person later moves to the kept one, and repeats no mail',
  async (open) => {
    const db = await open()
    await add(db, gone, {})
    await add(db, kept, { message: [message(1, 'accepted')] })
    await act(db, { type: 'merge', from: gone, into: kept })
    const owner = { bucket: gone.bucket, profile_id: gone.profile_id }
    await insert(db, 'message', [{ ...message(2, 'queued'), ...owner }])
    const seen = { message_id: 1, kind: 'opened', link: -1, count: 1 }
    await insert(db, 'engagement', [
      { ...owner, ...seen, first_at: at(3), last_at: at(3) },
      { bucket: kept.bucket, profile_id: kept.profile_id, ...seen, first_at: at(4), last_at: at(5) },
    ])
    await moveLateRows([gone], { db, ...parts })
    await moveLateRows([gone], { db, ...parts })
    assert.deepEqual(await messagesOf(db, kept), ['1  0 accepted sent', '2 merged:2 0 cancelled merged'])
    assert.deepEqual(await decisionsOf(db, kept), ['2 merged 1'])
    const [engagement, ...others] = await rowsOf(db, 'engagement', kept)
    assert.deepEqual(others, [])
    assert.equal(engagement!.count, '2')
    assert.equal(Date.parse(String(engagement!.first_at)), Date.parse(at(3)))
    await act(db, { type: 'delete', from: kept })
    await insert(db, 'message', [{ ...message(3, 'queued'), ...owner }])
    await removeLateRows([kept, gone], { db, ...parts })
    assert.deepEqual(await rowsOf(db, 'message'), [])
  },
)

onAllDatabases('a message for a person who was merged meanwhile is for the kept one', async (open) => {
  const db = await open()
  for (const who of [gone, kept, third, neighbour]) await add(db, who, {})
  await act(db, { type: 'merge', from: gone, into: kept }, { type: 'merge', from: third, into: neighbour })
  const cause = {
    workspace_id,
    cause: dispatchId(1),
    channel: 'email',
    class: 'marketing',
    plannedMs: 0,
    dueMs: 0,
  } as const
  const one = (who: Person, message_id: string) => ({ person: who, message_id, step: '', visit: 0 })
  const both = [one(gone, '1'), one(kept, '2'), one(third, '3')]
  const written = await insertMessages(db, cause, both)
  assert.deepEqual([...written.values()].map(({ message_id, profile_id }) => [message_id, profile_id]).sort(), [
    ['2', kept.profile_id],
    ['3', neighbour.profile_id],
  ])
  assert.deepEqual(await messagesOf(db, kept), ['2  0 queued'])
  assert.deepEqual(await messagesOf(db, neighbour), ['3  0 queued'])
  assert.equal(
    (
      await insertMessages(
        db,
        cause,
        both.map((each) => ({ ...each, message_id: `${each.message_id}0` })),
      )
    ).size,
    0,
  )
})

onAllDatabases('only counts remain of the messages of deleted people', async (open) => {
  const db = await open()
  const other = { cause: dispatchId(2) }
  await add(db, gone, {
    profile: { external_id: 'gone', email: 'gone@example.com' },
    message: [message(1, 'queued'), message(2, 'accepted', { ...other, address: 'gone@example.com' })],
    decision: [
      { time: at(9), workspace_id, ...other, step: '', visit: 0, channel: 'email', message_id: 2, reason: 'sent' },
    ],
    engagement: [{ message_id: 2, kind: 'opened', link: -1, first_at: at(9), last_at: at(9), count: 1 }],
  })
  await add(db, third, { message: [message(3, 'leased'), message(4, 'handed_over', other)] })
  await add(db, kept, {
    message: [message(5, 'held'), message(6, 'queued', { cause: dispatchId(3), maybe_sent: true })],
  })
  await act(db, { type: 'delete', from: gone }, { type: 'delete', from: third })
  await act(db, { type: 'delete', from: kept })
  for (const table of ['message', 'decision', 'engagement']) assert.deepEqual(await rowsOf(db, table), [], table)
  const counts = (await rowsOf(db, 'deleted_messages')).map(({ cause, reason, count }) => `${cause} ${reason} ${count}`)
  assert.deepEqual(counts.sort(), [
    `${dispatchId(1)} deleted 3`,
    `${dispatchId(2)} sent 1`,
    `${dispatchId(2)} uncertain 1`,
    `${dispatchId(3)} uncertain 1`,
  ])
})

onAllDatabases('identifiers of a deleted person are deleted from orders and decisions', async (open) => {
  const db = await open()
  const alias = (alias_name: string) => ({ user_alias: { alias_name, alias_label: 'crm' } })
  const unknown = (kind: string, value: string, asked: object) => ({
    ...{ bucket: located(kind, value).bucket, profile_id: 0, workspace_id, time: at(3), cause: dispatchId(1) },
    ...{ step: '', visit: 0, channel: 'email', reason: 'no_such_user', asked },
  })
  await add(db, gone, {
    profile: { external_id: 'gone' },
    former_id: [{ external_id: 'former', at: at(1) }],
    profile_alias: [{ alias_label: 'crm', alias_name: 'A' }],
  })
  await insert(db, 'decision', [
    unknown('external_id', 'gone', { external_user_id: 'gone' }),
    unknown('external_id', 'other', { external_user_id: 'other' }),
    unknown('alias', 'crm\u001fA', alias('A')),
  ])
  const dispatch = (n: number, recipients: object[] | undefined) => ({
    ...{
      dispatch_id: dispatchId(n),
      workspace_id,
      class: 'marketing',
      state: 'active',
      created_at: at(1),
      updated_at: at(1),
    },
    ...{ sending: { recipients, broadcast: false }, unsettled: false },
  })
  await insert(db, 'dispatch', [
    dispatch(1, [
      { external_user_id: 'first' },
      { external_user_id: 'gone' },
      alias('A'),
      { external_user_id: 'last' },
    ]),
    dispatch(2, [{ external_user_id: 'former' }]),
    dispatch(3, undefined),
    { ...dispatch(4, [{ external_user_id: 'gone' }]), workspace_id: 2 },
  ])
  await act(db, { type: 'delete', from: gone })
  const asked = await db.query(sql`select asked from decision`)
  assert.deepEqual(asked, [{ asked: { external_user_id: 'other' } }])
  assert.deepEqual(await rowsOf(db, 'deleted_messages'), [
    { cause: dispatchId(1), channel: 'email', reason: 'no_such_user', count: '2' },
  ])
  const sendings = await db.query<{ recipients: object }>(sql`
    select sending -> 'recipients' as recipients from dispatch order by dispatch_id`)
  assert.deepEqual(
    sendings.map(({ recipients }) => recipients),
    [[{ external_user_id: 'first' }, { external_user_id: 'last' }], [], null, [{ external_user_id: 'gone' }]],
  )
})
