import assert from 'node:assert/strict'
import test from 'node:test'
import pg from 'pg'
import { registrationOf } from '../../src/base/db/registration.ts'
import { type CatalogDouble, hasPlainPostgres, openCatalogDouble } from '../support/citus-catalog.ts'
import { eventually } from '../support/eventually.ts'
import { readFeed, readPage } from '../support/feed.ts'
import { type Service, startService } from '../support/harness.ts'

/**
 * On Citus the transaction of the coordinator ends before the shards commit. Here one session stands for the coordinator and holds the lock
 * of the transaction, and the others commit, one after the other, what the transaction does on the coordinator and on a shard.
 */
async function openSplitCommit(databaseUrl: string) {
  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  return {
    begin: async () => {
      await client.query('begin')
      await client.query(registrationOf('announcement'))
    },
    end: () => client.query('commit'),
    [Symbol.asyncDispose]: () => client.end(),
  }
}

/** Resolves when a session has looked for open announcements since a moment of the database, which is what a reader does that waits. */
async function isWaiting({ query }: CatalogDouble, since: string): Promise<void> {
  await eventually('a reader waits', async () => {
    const rows = await query(
      `select 1 from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()
        and query like '%virtualtransaction as id%' and query_start > $1::timestamptz`,
      [since],
    )
    return rows.length > 0
  })
}

async function timeOf({ query }: CatalogDouble): Promise<string> {
  const [row] = await query<{ at: string }>('select clock_timestamp()::text as at')
  return row!.at
}

async function firstNameOf(service: Service, external_id: string): Promise<string | undefined> {
  const fields_to_export = ['external_id', 'first_name']
  const { body } = await service.post('/users/export/ids', { external_ids: [external_id], fields_to_export })
  return body.users[0]?.first_name
}

test('a request that sees a new version of identities waits until all its rows can be seen (double of the catalog of Citus)', async (t) => {
  if (!(await hasPlainPostgres(t))) return
  await using double = await openCatalogDouble()
  await double.query("select create_distributed_table('profile', 'bucket', colocate_with => 'none', shard_count => 4)")
  await using service = await startService({ env: { DATABASE_URL: double.databaseUrl } })
  const people = ['ada', 'bob'].map((external_id) => ({ external_id, first_name: 'first' }))
  assert.equal((await service.post('/users/track', { attributes: people })).status, 201)
  await using commit = await openSplitCommit(double.databaseUrl)
  await commit.begin()
  // On the coordinator an external id gets another owner, and the change is announced to every process.
  await double.query(`
    with v as (update version set number = number + 1 where name = 'identity' returning number)
    insert into identity_change (bucket, number, profile_id, at)
      select i.owner_bucket, v.number, i.owner_id, now() from v, identifier i where i.kind = 'external_id' and i.value = 'ada'`)
  const since = await timeOf(double)
  const answer = service.post('/users/track', { attributes: [{ external_id: 'ada', first_name: 'second' }] })
  await isWaiting(double, since)
  // The shard.
  await double.query(`
    update identifier i set owner_bucket = o.owner_bucket, owner_id = o.owner_id from identifier o
    where i.kind = 'external_id' and i.value = 'ada' and o.kind = 'external_id' and o.value = 'bob'`)
  await commit.end()
  assert.equal((await answer).status, 201)
  assert.equal(await firstNameOf(service, 'bob'), 'second')
})

test('a reader of the feed waits for events behind a position that it sees (double of the catalog of Citus)', async (t) => {
  if (!(await hasPlainPostgres(t))) return
  await using double = await openCatalogDouble()
  await double.query("select create_distributed_table('profile', 'bucket', colocate_with => 'none', shard_count => 4)")
  await using service = await startService({
    env: { DATABASE_URL: double.databaseUrl },
    workspace: { settings: { feed: true } },
  })
  assert.equal((await service.post('/users/track', { attributes: [{ external_id: 'ada' }] })).status, 201)
  const [line] = await readFeed(service, (lines) => lines.length > 0)
  await using commit = await openSplitCommit(double.databaseUrl)
  await commit.begin()
  // The coordinator: there is one position more.
  await double.query('update feed set last_position = last_position + 1')
  const since = await timeOf(double)
  const answer = readPage(service, `?cursor=${line!.cursor}`)
  await isWaiting(double, since)
  // The shard: an event has this position.
  await double.query('update feed_event set position = position + 1')
  await commit.end()
  const { lines } = await answer
  assert.deepEqual(
    lines.map(({ id }) => id),
    [line!.id],
  )
})
