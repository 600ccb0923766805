import assert from 'node:assert/strict'
import test from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { localTables } from '../../src/base/db/local-tables.ts'
import { sql } from '../../src/base/db/sql.ts'
import { ensureWeeks } from '../../src/base/db/weeks.ts'
import { onBothDatabases } from '../support/databases.ts'
import { brokenRules, listStatements, statementsOf } from './statements.ts'

/** Statements that read every shard on purpose, by their beginning. All are rare. */
const sweeps: Readonly<Record<string, string>> = {
  'select (extract(epoch from greatest(': 'the newest stamp, when a virtual clock starts again',
  'with pending as (\n      select e.version': 'where people stand in a flow, by indexes of open entries only',
  'select e.* from entry e where (e.flow_id + 0) =': 'a page of the newest entries of a flow, by an index of its own',
  'select e.* from entry e where $1 $2 $3 limit': 'who stands at a step, by the index of open entries',
  'select count(*)::int4 as count from (select 1 from entry e where $1 limit':
    'whether few enough people stand at a step to read them all, by the same index',
  'select w.step, o.ms from unnest(': 'who waits longest at some steps of a version, by the same index',
  'select bucket, change_id from tally_change c where true':
    'what transactions have added to tallies, which is moved every few seconds',
  'delete from tally where slot <': 'old tallies go, once a day',
  '$1.state in ($2)\n      or exists (select 1 from address_state s':
    'whether any address has a state, for a whole count',
  '$1\n    left join address_state $2 on': 'the states of all addresses, for a whole count',
  'delete from flush where at <': 'old ids of flushes go',
  'select p.email, max(p.email_unsubscribed_at)': 'who has unsubscribed between two days, by an index of those only',
  "select 1 from work where state = 'waiting'": 'whether anything waits, by an index of what is not done',
  "select count(*)::int as count from (select 1 from work where state = 'waiting'": 'how much waits, for the figures',
  'select w.request_id, w.position,': 'a page of accepted work, for the administrator',
  "select e.bucket, e.entry_id from entry e\n    where e.workspace_id = $1 and e.state = 'ended'":
    'a page of entries that ended long ago, by an index of those only',
  'select (extract(epoch from min(d.due_at))': 'when an entry falls due next, for a virtual clock',
  "(select 'signals' as work": 'whether entries have anything to do, for a virtual clock',
  "(select 1 from message where state in ('leased'": 'whether a message is due, for a virtual clock',
  'select count(*)::int4 as count from (\n      select 1 from workspace w':
    'how many messages are due at the next instant, for a virtual clock',
  'select f.kind, f.name, count(*)::int4 as count, f.flow_id':
    'which flows have entries that are due at the next instant, for a virtual clock',
  'select v.flow_id, v.version from flow join flow_version v':
    'which earlier versions of a few flows still have people, by an index of open entries',
  'delete from received r using (': 'refusals of long ago go, by an index of those only',
  'select $1 as us, w.request_id, w.kind': 'what was done to a person, by an index of the hashes of people',
  'select m.* from message m where $1\n        order by m.workspace_id':
    'a page of the newest messages, by an index of its own',
  "select m.* from message m where m.state = 'uncertain'":
    'what somebody has to decide about, by an index of those only',
  'select $1 from dispatch d where d.state =': 'a few orders of which something goes out, by an index of causes',
  'with classes(class) as (values': 'what waits in a workspace, by indexes of what is due',
  "select 'entries' as work, count(*)::int4 as waiting": 'the part of it that is on a shard',
  'select channel, reason, count(*)::int8 as count from message':
    'messages of a span of time, by the index of the newest',
  'select count(*)::int4 as count from (\n      select 1 from profile':
    'some people of a workspace, by an index of its own',
  "select 1 from workspace w cross join (values ('transactional'), ('marketing')) c(class)\n":
    'whether an entry is due, where there are no shards',
  'select 1 from $1 w(workspace_id, channel)': 'whether a message is due, where there are no shards',
  "select 1 from work where state = 'moving'": 'whether history is to be moved, by an index of what is not done',
  'select m.* from message m where m.cause =': 'some messages of a dispatch, by an index of its own',
  'select count(*)::int4 as count from (\n      select 1 from message m where m.cause =':
    'whether a dispatch has few enough messages to read them all, by the same index',
  'select count(*)::int4 as count from (select 1 from entry e where e.dispatch_id =':
    'whether an order to a canvas has few enough entries to read them all, by an index of its own',
  'select $1 from work w where $2 $3\n': 'a page of accepted work',
  'select n.state, n.outcome, count(*)': 'how much of it became what',
  'select unnest(w.from_id ||': 'an import asks which deletions are not finished',
  '(select p.*,': 'the profiles in which an audience is searched; the condition that is put in names the bucket',
  'select count(*)::int as count from $1 where': 'how many people an audience means',
  'select count(*)::int4 as count from profile p where $1':
    'the people of a sample; the condition that is put in names the buckets',
  'select p.profile_id, a.key as name, a.value from profile p': 'the attributes of the same people',
  'delete from confirmation where confirmed_at is null':
    'confirmations that were not given in time go, by an index of what is open',
  'select $1, (extract(epoch from c.requested_at)': 'a page of the confirmations of a group, by an index of its own',
  'select count(*) filter (where $1)::int as pending':
    'how many people were asked to confirm a group, by the same index',
  'select d.* from decision d where d.workspace_id =': 'decisions of a dispatch, by an index of its own',
  'select $1 from message m\n      where m.cause =': 'what has not ended of a dispatch, by an index of its own',
  'select w.workspace_id, c.class\n': 'which workspaces have entries that are due, by an index of those',
  'select w.workspace_id, w.channel, c.class\n':
    'which workspaces have messages that are due, by an index of what is queued',
  'select $1, m.state, m.address from message m': 'messages whose worker is gone, by an index of what is under way',
  'select count(*)::int as count from (select 1 from message where state =': 'how much is queued, for the figures',
  'with recursive zones as (': 'which time zones people have, a step in an index for each',
  'select (extract(epoch from min(m.due_at))': 'when the next message is due, by an index of what is queued',
  "select 1 from message where state in ('leased'": 'whether anything is under way, by an index of that only',
  "select 1 from message m where m.state in ('leased'": 'whether a worker is gone, by the same index',
  'delete from dispatch d where d.dispatch_id =': 'an old dispatch goes when no message of it is left',
  'select e.entry_id from entry e where e.dispatch_id =':
    'some entries of an order to a canvas, by an index of its own',
  'select state, ended, count(*)::int8 as count from entry where dispatch_id =':
    'counts of entries of an order to a canvas by step, by an index of their own',
  'select state, reason, count(*)::int8 as count from message':
    'how much of a dispatch became what, by an index of its own',
  'select 1 as missed from message where cause =': 'whether a dispatch has missed anybody, by an index of its own',
  "select 1 from message m where m.state = 'handed_over'":
    'whether a mail is just going out, by an index of what is under way',
  'select exists (select 1 from entry where flow_id =': 'whether a canvas has open entries, by an index of those',
  'select 1 from entry where flow_id =': 'whether an entry has yet to follow its canvas, by the same index',
  'select flow_id, count(*)::int4 as people from entry': 'counts of people in canvases, by the same index',
  'select version, step, count(*)::int as people from entry': 'counts of people in a canvas by step, by the same index',
  'select flow.workspace_id, flow.id, flow.kind, flow.state, flow.last_sent_at, v.definition':
    'versions of canvases with open entries, by the same index',
  'select $1 from inbox i $2\n': 'a page of the inbox',
  'select $1, i.source from inbox i': 'one mail of the inbox, which may have moved with its person',
  'delete from inbox where workspace_id =': 'the inbox is emptied',
  'select s.address as email, max(s.at)': 'which addresses bounced between two moments, by an index of those only',
  'select s.address, s.reason, s.told,': 'a page of suppressed addresses',
  'select $1 from profile p where p.workspace_id =': 'a page of the newest people, by an index of its own',
  'select c.cohort_id, c.partner, c.id, c.name, c.created_at':
    'how many people each cohort has, when an administrator looks',
  'with chosen as (\n      select bucket, profile_id from cohort_member':
    'people are taken out of a cohort that is deleted, by an index of its own',
  'select t.workspace_id, t.wanted, t.is_on,':
    'whether events of a feed wait for a position, by an index of those only',
  'select e.position, e.event_id, e.type, e.time,': 'a page of a feed, by an index of positions',
  'select e.position from feed_event e where': 'the oldest event of a feed, by the same index',
  'select min(e.position) as position from feed_event e': 'where a replay begins, when an administrator asks for one',
  'delete from feed_event e\n    where e.workspace_id =': 'old events of a feed go, by the index of positions',
  'select l.lane from signal_lane l': 'a lane in which signals wait, by an index that begins with the lane',
  'update signal set failed = false': 'what could not be acted upon is tried again at a start',
  'select count(*)::int as count from (select 1 from signal where not failed': 'how many signals wait, for the figures',
  'select 1 from signal where not failed': 'whether any signal waits, before a lane is taken',
}

/** Finds properties that a table distributed by its bucket must not have. */
const faults = sql`
  with tables as (
    select c.oid, c.relname, a.attnum, a.attnotnull
    from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = c.oid and a.attname = 'bucket'
    where c.relkind in ('r', 'p') and not c.relispartition
  )
  select t.relname::text as place, i.relname::text as what, 'a unique key lacks the bucket' as why
  from tables t join pg_index x on x.indrelid = t.oid and x.indisunique join pg_class i on i.oid = x.indexrelid
  where not (t.attnum = any(x.indkey::int2[]))
  union all
  select t.relname, k.conname, 'a foreign key does not pair bucket with bucket'
  from tables t join pg_constraint k on k.conrelid = t.oid and k.contype = 'f' join tables r on r.oid = k.confrelid
  where not exists (select 1 from unnest(k.conkey, k.confkey) u (a, b) where u.a = t.attnum and u.b = r.attnum)
  union all
  select c.relname, k.conname, 'a local table points at people'
  from pg_constraint k join pg_class c on c.oid = k.conrelid join tables r on r.oid = k.confrelid
  where k.contype = 'f' and k.conrelid not in (select oid from tables)
  union all
  select t.relname, g.tgname, 'a trigger' from tables t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
  union all
  select t.relname, 'bucket', 'the bucket is nullable' from tables t where not t.attnotnull
  union all
  select t.relname, a.attname, 'a column makes its own values'
  from tables t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0
  left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  where a.attidentity <> '' or pg_get_expr(d.adbin, d.adrelid) ~ 'nextval|now\\(|random'
  order by 1, 2`

async function listTables(db: Db): Promise<{ name: string; has_bucket: boolean }[]> {
  return db.query(sql`
    select c.relname::text as name,
           exists (select 1 from pg_attribute a where a.attrelid = c.oid and a.attname = 'bucket') as has_bucket
    from pg_class c join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    where c.relkind in ('r', 'p') and not c.relispartition order by 1`)
}

onBothDatabases('the schema can be distributed by bucket', async (open) => {
  const db = await open()
  await ensureWeeks(db, Date.parse('2026-08-01'))
  assert.deepEqual(await db.query(faults), [])
})

onBothDatabases('the lint of the schema finds planted faults', async (open) => {
  const db = await open()
  await db.execute(`
    create table planted (bucket int, id int primary key, at bigserial);
    create table reference (id int references planted);
    create function nothing() returns trigger language plpgsql as 'begin return null; end';
    create trigger pulled after insert on planted for each row execute function nothing();
    create table child (bucket int not null, id int references planted, primary key (bucket, id))`)
  const found = await db.query<{ place: string; what: string }>(faults)
  assert.deepEqual(
    found.map(({ place, what }) => `${place} ${what}`),
    [
      'child child_id_fkey',
      'planted at',
      'planted bucket',
      'planted planted_pkey',
      'planted pulled',
      'reference reference_id_fkey',
    ],
  )
})

/** Tables that stay on the coordinator although they have a bucket. */
const localWithBucket: readonly string[] = ['identity_change']

onBothDatabases('every table has a bucket or stays local, and of those with a bucket one stays local', async (open) => {
  const tables = await listTables(await open())
  const local = tables.filter(({ name, has_bucket }) => !has_bucket || localWithBucket.includes(name))
  assert.deepEqual(
    local.map(({ name }) => name),
    [...localTables].sort(),
  )
})

onBothDatabases('every statement of the product would run on a sharded database', async (open) => {
  const distributed = (await listTables(await open()))
    .map(({ name }) => name)
    .filter((name) => !localTables.includes(name))
  const statements = listStatements()
  assert.ok(statements.length > 20, `only ${statements.length} statements were found`)
  const broken = statements
    .filter(({ path }) => path !== 'src/base/db/server-time.ts')
    .filter(({ text }) => !Object.keys(sweeps).some((beginning) => text.trim().startsWith(beginning)))
    .flatMap(({ path, line, text }) => brokenRules(text, distributed).map((rule) => `${path}:${line} ${rule}`))
  assert.deepEqual(broken, [])
})

test('statements are found with their values, and nested ones separately', () => {
  const source = 'const a = sql`select ${x} where ${y ? sql`b = ${{ z: `}` }}` : none} \\` end`'
  assert.deepEqual(
    statementsOf('a.ts', source).map(({ text }) => text),
    ['select $1 where $2 ` end', 'b = $1'],
  )
})

test('the lint of statements finds planted faults', () => {
  const planted = [
    'insert into a values ($1) on conflict (bucket, id) do update set at = now()',
    'select pg_advisory_xact_lock(7)',
    'merge into b using c on true when matched then do nothing',
    'update a set n = 1, bucket = $1 where bucket = $2',
    'delete from a where bucket = $1; delete from b where bucket = $1',
    'insert into b values ($1) on conflict on constraint b_pkey do nothing',
    'select 1 from a where bucket between 1 and 3',
    'select 1 as bucket from a where id = $1 for update',
    'with i as (insert into a (bucket) values ($1) returning id) select id from i union all select id from a where bucket = $1',
    'select 1 from a where id = $1',
    'listen a',
  ]
  for (const text of planted) assert.equal(brokenRules(text, ['a']).length, 1, `${text}: ${brokenRules(text, ['a'])}`)
  const allowed = [
    'select id from a where bucket = any($1) and id = any($2) order by bucket, id for update skip locked',
    'update a set n = u.n from unnest($1::int4[], $2::int8[]) u (bucket, id) where a.bucket = u.bucket and a.id = u.id',
    "select 'now();' from b -- from a;",
    'select value from counter where name = $1 for update',
  ]
  for (const text of allowed) assert.deepEqual(brokenRules(text, ['a']), [], text)
})
