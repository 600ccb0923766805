import assert from 'node:assert/strict'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { receivedKey } from '../../src/people/received/received.ts'
import {
  insertEntered,
  listReceived,
  listReceivedSteps,
  lockKnownReceived,
  lockReceived,
  recordConverted,
  recordEngaged,
  recordEntered,
  recordExited,
  recordReceived,
  recordRefused,
} from '../../src/people/received/received-store.ts'
import { onAllDatabases } from '../support/databases.ts'
import { only } from '../support/people.ts'

const flow_id = 7
const workspace_id = 1
const day = (n: number) => Date.UTC(2026, 0, n)
const us = (n: number) => day(n) * 1000
const date = (n: number) => new Date(day(n))
const personWith = (n: number) => ({ bucket: n, profile_id: String((BigInt(n) << 51n) + 1n) })
const of = (n: number) => ({ person: personWith(n), flow_id, workspace_id })

async function rowOf(db: Db, n: number) {
  const { bucket: _, profile_id: __, flow_id: ___, ...row } = only(await listReceived(db, [personWith(n)]))
  return row
}

const nothing = {
  ...{ entries: 0, last_entered_at: null, last_entered_control_at: null, last_exited_at: null, last_received_at: null },
  ...{ variant: null, in_control: false, opened_at: null, clicked_at: null, converting_until: null, converted: [] },
  ...{ refused: null, refused_at: null, counted_conversions: [], send_id: null },
}

onAllDatabases(
  'the rows of people who enter first are inserted with their entries, unless others were quicker',
  async (open) => {
    const db = await open()
    const first = [
      { ...of(1), variant: null, inControl: true, atUs: us(3) },
      { ...of(1), variant: 'a', inControl: false, atUs: us(4) },
      { ...of(2), variant: null, inControl: true, atUs: us(3) },
    ]
    assert.equal(await insertEntered(db, first, [of(3)]), true)
    const entered = { entries: 2, last_entered_at: date(4), last_entered_control_at: date(3), variant: 'a' }
    assert.deepEqual(await rowOf(db, 1), { ...nothing, ...entered })
    const inControl = { entries: 1, last_entered_at: date(3), last_entered_control_at: date(3), in_control: true }
    assert.deepEqual(await rowOf(db, 2), { ...nothing, ...inControl })
    assert.deepEqual(await rowOf(db, 3), nothing)
    const known = await db.transaction((tx) => lockKnownReceived(tx, [of(2), of(4)]))
    assert.deepEqual([...known.keys()], [receivedKey(personWith(2).profile_id, flow_id)])

    assert.equal(await insertEntered(db, [{ ...of(3), variant: 'b', inControl: false, atUs: us(5) }], [of(4)]), false)
    assert.deepEqual(await rowOf(db, 3), nothing, 'a row that exists is left as it is')
    assert.equal(await insertEntered(db, [], []), true)
  },
)

onAllDatabases(
  'messages and entries of a person in a flow are recorded in one row, many people at a time',
  async (open) => {
    const db = await open()
    const locked = await db.transaction((tx) => lockReceived(tx, [of(2), of(1), of(2)]))
    const keys = [1, 2].map((n) => receivedKey(personWith(n).profile_id, flow_id))
    assert.deepEqual([...locked.keys()], keys)
    assert.deepEqual(await rowOf(db, 1), nothing)

    await recordRefused(db, [{ ...of(1), reason: 'not_in_segment', atUs: us(1) }])
    await recordRefused(db, [
      { ...of(1), reason: 'canvas_paused', atUs: us(2) },
      { ...of(1), reason: 'already_entered', atUs: us(2) },
      { ...of(3), reason: 'not_in_segment', atUs: us(2) },
    ])
    assert.deepEqual(await rowOf(db, 1), { ...nothing, refused: 'already_entered', refused_at: date(2) })
    assert.deepEqual(await rowOf(db, 3), { ...nothing, refused: 'not_in_segment', refused_at: date(2) })

    await recordEntered(db, [
      { ...of(1), variant: null, inControl: true, atUs: us(3) },
      { ...of(1), variant: 'a', inControl: false, atUs: us(4) },
      { ...of(2), variant: null, inControl: true, atUs: us(3) },
    ])
    const entered = { entries: 2, last_entered_at: date(4), last_entered_control_at: date(3), variant: 'a' }
    assert.deepEqual(await rowOf(db, 1), { ...nothing, ...entered })
    const inControl = { entries: 1, last_entered_at: date(3), last_entered_control_at: date(3), in_control: true }
    assert.deepEqual(await rowOf(db, 2), { ...nothing, ...inControl })

    const got = { ...personWith(1), workspace_id, flow_id }
    await recordReceived(db, [
      { ...got, step: 'two', variant: 'b', send_id: 's', atUs: us(6), convertingUntilUs: null },
      { ...got, step: 'one', variant: 'a', send_id: null, atUs: us(5), convertingUntilUs: us(8) },
    ])
    // A message that is recorded late does not replace a later one.
    const late = { ...got, step: 'one', variant: null, send_id: 's', atUs: us(4), convertingUntilUs: us(7) }
    const previous = await recordReceived(db, [late])
    assert.deepEqual(previous.get(keys[0]!), { atMs: date(6).getTime(), send_id: 's' })
    const received = { ...entered, last_received_at: date(6), variant: 'b', send_id: 's', converting_until: date(8) }
    assert.deepEqual(await rowOf(db, 1), { ...nothing, ...received })
    const steps = await listReceivedSteps(db, [personWith(1), personWith(2)])
    assert.deepEqual(
      steps.map(({ step, last_received_at }) => [step, last_received_at]),
      [
        ['one', date(5)],
        ['two', date(6)],
      ],
    )

    await recordEngaged(db, [
      { ...of(1), kind: 'clicked', atUs: us(7) },
      { ...of(1), kind: 'opened', atUs: us(8) },
      { ...of(1), kind: 'opened', atUs: us(7) },
      { ...of(4), kind: 'opened', atUs: us(7) },
    ])
    await recordEngaged(db, [{ ...of(1), kind: 'opened', atUs: us(9) }])
    await recordExited(db, [
      { ...of(1), atUs: us(9) },
      { ...of(1), atUs: us(8) },
    ])
    await recordConverted(db, [
      { ...of(1), names: ['B', 'A'] },
      { ...of(1), names: ['B'] },
    ])
    await recordConverted(db, [{ ...of(1), names: ['C', 'A'] }])
    const engaged = { opened_at: date(7), clicked_at: date(7), last_exited_at: date(9), converted: ['A', 'B', 'C'] }
    const counted = { counted_conversions: ['A', 'B', 'C'] }
    assert.deepEqual(await rowOf(db, 1), { ...nothing, ...received, ...engaged, ...counted })
    assert.deepEqual(await listReceived(db, [personWith(4)]), [])
    assert.equal((await listReceived(db, [personWith(1)], [flow_id])).length, 1)
    assert.equal((await listReceived(db, [personWith(1)], [flow_id + 1])).length, 0)
    assert.equal((await db.query(sql`select 1 from received`)).length, 3)
  },
)

onAllDatabases('received messages and exits are recorded in one statement', async (open) => {
  const db = await open()
  const got = {
    ...personWith(1),
    workspace_id,
    flow_id,
    step: '',
    variant: null,
    send_id: null,
    atUs: us(10),
    convertingUntilUs: null,
  }
  const left = [
    { ...of(1), atUs: us(11) },
    { ...of(4), atUs: us(12) },
  ]
  const previous = await recordReceived(db, [got], left)
  assert.deepEqual(previous.get(receivedKey(personWith(1).profile_id, flow_id)), { atMs: null, send_id: null })
  assert.deepEqual(await rowOf(db, 1), { ...nothing, last_received_at: date(10), last_exited_at: date(11) })
  assert.deepEqual(await rowOf(db, 4), { ...nothing, last_exited_at: date(12) })
})

onAllDatabases(
  'an entry, or a message of a campaign that nobody enters, lets conversions count again',
  async (open) => {
    const db = await open()
    const counted = async () => (await rowOf(db, 1)).counted_conversions
    const got = {
      ...personWith(1),
      workspace_id,
      flow_id,
      step: '',
      variant: null,
      send_id: null,
      convertingUntilUs: null,
    }
    const convert = () => recordConverted(db, [{ ...of(1), names: ['A'] }])
    await recordReceived(db, [{ ...got, atUs: us(1) }])
    await convert()
    await recordReceived(db, [], [{ ...of(1), atUs: us(2) }])
    assert.deepEqual(await counted(), ['A'])
    await recordReceived(db, [{ ...got, atUs: us(2) }])
    assert.deepEqual(await counted(), [])
    await recordEntered(db, [{ ...of(1), variant: 'a', inControl: false, atUs: us(3) }])
    await convert()
    await recordReceived(db, [{ ...got, atUs: us(4) }])
    assert.deepEqual(await counted(), ['A'])
    await recordEntered(db, [{ ...of(1), variant: 'a', inControl: false, atUs: us(5) }])
    assert.deepEqual(await counted(), [])
  },
)
