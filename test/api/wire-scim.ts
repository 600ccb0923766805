import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import type { Database } from '../support/harness.ts'
import type { Item } from '../support/people.ts'
import { assertRefused, provisioningOf } from '../support/scim-service.ts'

type Sent = { readonly method: string; readonly path: string; readonly body: Item | null }

const folder = join(import.meta.dirname, '../wire')
const requests: Sent[] = JSON.parse(readFileSync(join(folder, 'requests.json'), 'utf8'))
const isOurs = ({ path }: Sent) => path.startsWith('/scim/')

/** The requests by their index in the file, with their statuses, in an order in which each finds its user. */
const expected: readonly [index: number, status: number][] = [
  [111, 201],
  [109, 200],
  [107, 400], // printed with a placeholder
  [110, 200],
  [108, 204],
]

/** Replays the requests of existing clients to `/scim/v2`; no answers were recorded. */
export function replayScim(database: Database): void {
  describe(`requests of identity providers (${database})`, () => {
    const scim = provisioningOf(database)

    test('are answered as the contract says', async () => {
      await scim.service.admin('PATCH', '/admin/workspace', { name: 'Test App Group' })
      const ours = [...requests.entries()].filter(([, each]) => isOurs(each)).map(([index]) => index)
      assert.deepEqual(expected.map(([index]) => index).sort(), ours)
      let id = ''
      for (const [index, status] of expected) {
        const { method, path, body } = requests[index]!
        const answer = await scim.send(method, path.replace('{id}', id), body ?? undefined)
        assert.equal(answer.status, status, `${index}: ${answer.text}`)
        if (method === 'POST') id = answer.body.id
        if (status < 204) assertShown(answer.body, requests[110]!.body!, answer.body)
        if (status === 400) assertRefused(answer, 400, 'invalidFilter')
      }
      const filter = encodeURI('userName eq "user@test.com"')
      assert.equal((await scim.get(`/scim/v2/Users?filter=${filter}`)).body.totalResults, 0)
    })
  })
}

/** Asserts that the answer has everything that was sent. It may have more; team permissions are compared with each request. */
function assertShown(answer: Item, sent: Item, whole: Item): void {
  for (const [name, value] of Object.entries(sent)) {
    if (name === 'teamPermissions') continue
    const shown = answer[name]
    if (typeof value !== 'object' || value === null) assert.equal(shown, value, JSON.stringify(whole))
    else assertShown(shown as Item, value as Item, whole)
  }
}
