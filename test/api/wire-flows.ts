import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Database } from '../support/harness.ts'
import { apps, type Item, peopleOf } from '../support/people.ts'
import { campaign, canvas } from '../support/triggers.ts'

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
const served =
  /^\/((canvas|campaigns)\/(list|details|trigger\/(send|schedule\/\w+))|messages\/scheduled_broadcasts|sends\/id\/create)(\?|$)/
const isOurs = ({ path }: { path: string }) => served.test(path)
/** The requests of existing clients, with their index in the file, and answers of a real service. */
const sent = [...(read('requests.json') as Sent[]).entries()].filter(([, each]) => isOurs(each))
const recorded = [...(read('recorded-responses.json') as Recorded[]).entries()].filter(([, each]) => isOurs(each))

/** The canvases and campaigns that the requests name, with ids that Easel allows. */
const workspace = {
  apps: Object.values(apps),
  canvases: ['canvas_identifier', 'c', 'canvas-1', '70a7fb99-cbcb-451a-8224-5f8b8c63e03f'].map((id) => canvas(id)),
  campaigns: [
    'campaign_identifier',
    'camp-1',
    'campaign123',
    'abcdef12-3456-7890-abcd-ef1234567890',
    'd8b73da7-0b7c-fc72-1d80-e59c7f20f0d3',
  ].map((id) => campaign(id)),
}

const refused = (message: string) => ({ status: 400, message })
const taken = { status: 201, message: 'success' }
const shown = { status: 200, message: 'success' }
const unknownCanvas = refused('canvas_id must be a string of the Canvas api identifier')
const unknownCampaign = refused('campaign_id must be a string of the campaign api identifier')
const unknownSchedule = refused("'schedule_id' is not valid")
const noTime = refused('Bad Request')

/** The answers to the requests of existing clients, by their index in the file. */
const expectedOfSent: Readonly<Record<number, { status: number; message: string }>> = {
  1: unknownCampaign,
  2: unknownCampaign,
  3: shown,
  4: shown, // an offset of one digit, a plus that was not encoded
  5: shown,
  6: shown,
  7: noTime, // an empty time
  8: noTime,
  9: unknownSchedule,
  10: unknownSchedule,
  11: taken, // three identifiers of one person
  12: taken,
  13: taken, // empty texts for properties
  14: taken, // `external_id`
  15: taken, // an integer as id
  18: unknownCanvas,
  19: unknownCanvas,
  20: shown,
  21: shown,
  22: shown,
  23: shown,
  24: noTime,
  25: taken,
  26: noTime,
  27: unknownSchedule,
  28: unknownSchedule,
  29: taken,
  30: taken,
  31: taken,
  32: taken,
  92: shown,
  93: shown,
  124: taken,
}

const dispatchId = /^[0-9a-f]{32}$/
const momentForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/

export function replayFlows(database: Database): void {
  describe(`requests about canvases and campaigns (${database})`, () => {
    const people = peopleOf(database, { workspace, env: { EASEL_CLOCK: 'virtual' } })

    test('are answered as the contract says', async () => {
      assert.deepEqual(
        sent.map(([index]) => index),
        Object.keys(expectedOfSent).map(Number),
      )
      for (const [index, { method, path, body, real_status }] of sent) {
        const answer = await people.service.send(method, path, body ?? undefined)
        const { status, message } = expectedOfSent[index]!
        assert.deepEqual([answer.status, answer.body.message], [status, message], `${index}: ${answer.text}`)
        if (real_status !== null) assert.equal(status, real_status, `${index}: ${answer.text}`)
        if (path.includes('/trigger/') && status === 201) assert.match(answer.body.dispatch_id, dispatchId)
      }
    })

    test('get the recorded answers of a real service', async () => {
      assert.ok(recorded.length > 0)
      for (const [index, { method, path, request, status, headers, response }] of recorded) {
        const answer = await people.service.send(method, path, request ?? undefined)
        assert.equal(answer.status, status, `${index}: ${answer.text}`)
        assert.equal(answer.headers['content-type'], headers['Content-Type'])
        assert.equal(answer.body.message, response.message)
        assert.deepEqual(Object.keys(answer.body).toSorted(), Object.keys(response).toSorted(), `${index}`)
        const [listed] = (response.canvases as Item[] | undefined) ?? []
        for (const each of (answer.body.canvases as Item[] | undefined) ?? []) {
          assert.deepEqual(Object.keys(each).toSorted(), Object.keys(listed!).toSorted())
          for (const { last_edited } of [each, listed!]) assert.match(String(last_edited), momentForm)
        }
      }
    })
  })
}
