import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { virtualClock } from '../../src/base/clock.ts'
import type { Database } from '../support/harness.ts'
import { type Item, peopleOf } from '../support/people.ts'

type Sent = {
  readonly method: string
  readonly path: string
  readonly body: Item | null
  readonly real_status: number | null
}
type Recorded = {
  readonly method: string
  readonly path: string
  readonly request: Item | null
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly response: Item
}

const read = (file: string): unknown => JSON.parse(readFileSync(join(import.meta.dirname, '../wire', file), 'utf8'))
const isOurs = ({ path }: { path: string }) => /^\/messages\/(send|schedule\/\w+)$/.test(path)
/** The requests of existing clients, with their index in the file, and answers of a real service. */
const sent = [...(read('requests.json') as Sent[]).entries()].filter(([, each]) => isOurs(each))
const recorded = [...(read('recorded-responses.json') as Recorded[]).entries()].filter(([, each]) => isOurs(each))

/** When the answers to requests with a time were recorded. */
const recordedMs = Date.parse('2020-06-17T20:50:32Z')

const template = 'abcdef12-3456-7890-abcd-ef1234567890'
/** The segments, campaigns and templates that the requests name. */
const workspace = {
  apps: [
    { id: template, name: 'Web', platform: 'web' },
    { id: 'app-1', name: 'Phone', platform: 'ios' },
  ],
  email_templates: [{ id: template, name: 'Hello', subject: 'Hello', body: '<p>Hello</p>' }],
}

const nothingSent = 'Nothing is sent: only email, sms, webhook are delivered here, not apple_push.'
const unknownCampaign = { status: 400, body: { message: 'Invalid Campaign ID' } }
const unknownSchedule = { status: 400, body: { message: "'schedule_id' is not valid" } }
const taken = { status: 201, body: { message: 'success' } }
const takenInVain = {
  status: 201,
  body: {
    notice: nothingSent,
    notices: [{ member: 'messages.apple_push', reason: 'is not delivered here' }],
    message: 'success',
  },
}

/** The answers to the requests of existing clients, by their index in the file, without the ids. */
const expectedOfSent: Readonly<Record<number, { status: number; body: Item }>> = {
  87: unknownCampaign,
  88: unknownCampaign, // an alias alone instead of a list
  89: takenInVain, // an integer as id
  90: unknownSchedule,
  91: unknownSchedule,
  95: taken, // a template
  96: taken, // for people of every subscription state; an attachment that cannot be fetched
  97: unknownCampaign, // flags as text
  98: takenInVain,
  99: takenInVain,
}

/** `index in the file, the difference, the rule that allows it`. */
const deviations: readonly [index: number, difference: string, rule: string][] = [
  [14, 'notice is more', 'docs/api-decisions.md: apple_push alone is accepted and not delivered'],
  [14, 'notices is more', 'docs/api-decisions.md: what is not kept is named'],
  [15, 'notice is more', 'docs/api-decisions.md: apple_push alone is accepted and not delivered'],
  [15, 'notices is more', 'docs/api-decisions.md: what is not kept is named'],
  [16, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [42, 'notice is more', 'docs/api-decisions.md: apple_push alone is accepted and not delivered'],
  [42, 'notices is more', 'docs/api-decisions.md: what is not kept is named'],
  [43, 'notice is more', 'docs/api-decisions.md: apple_push alone is accepted and not delivered'],
  [43, 'notices is more', 'docs/api-decisions.md: what is not kept is named'],
  [44, 'message is another text', 'contract 5: the prefix is kept, the key is not echoed'],
  [80, 'dispatch_id is more', 'contract 4.11; this answer is of 2015'],
  [80, 'notice is more', 'docs/api-decisions.md: apple_push alone is accepted and not delivered'],
  [80, 'notices is more', 'docs/api-decisions.md: what is not kept is named'],
  [81, 'dispatch_id is more', 'contract 4.11; this answer is of 2015'],
  [81, 'notice is more', 'docs/api-decisions.md: apple_push alone is accepted and not delivered'],
  [81, 'notices is more', 'docs/api-decisions.md: what is not kept is named'],
  [82, 'message is another text', 'contract 5: the prefix is `Invalid API key`'],
]

const idForms: Readonly<Record<string, RegExp>> = {
  dispatch_id: /^[0-9a-f]{32}$/,
  schedule_id: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
}

/** Returns the differences from a recorded answer; of ids only the form is compared. */
function differences(wanted: Item, got: Item): string[] {
  return [...new Set([...Object.keys(wanted), ...Object.keys(got)])].flatMap((key) => {
    if (!(key in got)) return [`${key} is absent`]
    if (!(key in wanted)) return [`${key} is more`]
    const form = idForms[key]
    if (form) return form.test(String(got[key])) && form.test(String(wanted[key])) ? [] : [`${key} is of another form`]
    return wanted[key] === got[key] ? [] : [`${key} is another text`]
  })
}

export function replayMessages(database: Database): void {
  describe(`requests to send (${database})`, () => {
    // The requests name times that were in the future then.
    const people = peopleOf(database, { workspace, clock: virtualClock(recordedMs) })

    test('are answered as the contract says', async () => {
      assert.deepEqual(
        sent.map(([index]) => index),
        Object.keys(expectedOfSent).map(Number),
      )
      for (const [index, { method, path, body, real_status }] of sent) {
        assert.equal(method, 'POST')
        const { status, body: answer, text } = await people.send(path, body)
        const { dispatch_id, schedule_id, ...rest } = answer as Item
        assert.deepEqual({ status, body: rest }, expectedOfSent[index], `${index}: ${text}`)
        if (status === 201) assert.match(String(dispatch_id), idForms.dispatch_id!)
        assert.equal(schedule_id !== undefined, status === 201 && path === '/messages/schedule/create')
        if (real_status !== null) assert.equal(status, real_status, `${index}: ${text}`)
      }
    })

    test('get the recorded answers of a real service, except for the listed deviations', async () => {
      const found: string[] = []
      for (const [index, { path, request, status, headers, response }] of recorded) {
        const key: Record<string, string> = status === 401 ? { authorization: 'Bearer non-existent' } : {}
        const answer = await people.send(path, request, key)
        assert.equal(answer.status, status, `${index}: ${answer.text}`)
        assert.equal(answer.headers['content-type'], headers['Content-Type'])
        found.push(...differences(response, answer.body as Item).map((difference) => `${index} ${difference}`))
        if (status === 201) assert.match(answer.text, /"message":"success"\}$/)
      }
      assert.deepEqual(found.toSorted(), deviations.map(([index, difference]) => `${index} ${difference}`).toSorted())
    })
  })
}
