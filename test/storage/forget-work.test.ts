import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { virtualClock } from '../../src/base/clock.ts'
import type { Db } from '../../src/base/db/db.ts'
import { forgetWork } from '../../src/people/merge/forget-work.ts'
import { claimItems, finishItems, insertItems, listItems } from '../../src/people/merge/work-store.ts'
import { onBothDatabases } from '../support/databases.ts'
import { many } from '../support/people.ts'

const dayMs = 24 * 60 * 60 * 1000
const startMs = Date.UTC(2026, 0, 1)
const workspaces = [{ workspace_id: 1 }, { workspace_id: 2 }]
const atOnce = 200
const nothing = { moving: false, from: undefined, into: undefined, mergedProfiles: [], person_hashes: [] }

onBothDatabases('completed work is deleted after 30 days, and waiting work is not', async (open) => {
  const db = await open()
  const clock = virtualClock(startMs)
  await accept(db, 1, 3, startMs)
  await accept(db, 2, 2_500, startMs)
  await finish(db)
  await accept(db, 1, 1, startMs)
  await accept(db, 1, 2, startMs + dayMs)

  clock.moveTo(startMs + 30 * dayMs)
  await forgetWork(db, clock, workspaces)
  assert.deepEqual(await Promise.all([count(db, 1), count(db, 2)]), [6, 2_500])

  clock.moveTo(startMs + 30 * dayMs + 1)
  await forgetWork(db, clock, workspaces)
  assert.deepEqual(await Promise.all([count(db, 1), count(db, 2)]), [3, 0])
  await finish(db)
  await forgetWork(db, clock, workspaces)
  assert.deepEqual(await count(db, 1), 2)
})

onBothDatabases('an item that is accepted while others wait is after them, whatever the clock says', async (open) => {
  const db = await open()
  await accept(db, 1, 2, startMs + dayMs)
  await accept(db, 2, 2, startMs)
  const claimed = await db.transaction((tx) => claimItems(tx, 10))
  assert.deepEqual(
    claimed?.map(({ workspace_id, position }) => [workspace_id, position]),
    [
      [1, 0],
      [1, 1],
      [2, 0],
      [2, 1],
    ],
  )
})

async function accept(db: Db, workspace_id: number, items: number, atMs: number): Promise<void> {
  const asked = { who: { kind: 'external_id', value: 'anna' } } as const
  const item = { workspace_id, kind: 'merge', asked, person_hashes: ['hash'] } as const
  await insertItems(
    db,
    randomUUID(),
    many(items, () => item),
    atMs * 1000,
  )
}

/** Completes all waiting items, in pages like the worker. */
async function finish(db: Db): Promise<void> {
  for (let done = atOnce; done === atOnce; ) {
    done = await db.transaction(async (tx) => {
      const items = (await claimItems(tx, atOnce)) ?? []
      const finished = items.map((item) => ({ item, outcome: 'nobody_matched', ...nothing }) as const)
      await finishItems(tx, finished, startMs * 1000)
      return items.length
    })
  }
}

async function count(db: Db, workspace_id: number): Promise<number> {
  const any = { kind: undefined, state: undefined, outcome: undefined, request_id: undefined }
  return (await listItems(db, { workspace_id, ...any }, undefined, 10_000)).length
}
