import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import { checks } from '../structure/checks.ts'
import { functionsOf } from '../structure/size.ts'
import { treeOf } from '../structure/source.ts'
import { checkWords } from '../structure/words.ts'

type Texts = Readonly<Record<string, string>>
/** `bad` breaks the rule once per expected problem; `good` is similar and does not break it. */
type Proof = { bad: Texts; places: readonly RegExp[]; good: Texts; owned?: readonly string[] }

const lines = (count: number, line = 'x()') => Array.from({ length: count }, () => line).join('\n')
const packages = (text: object) => JSON.stringify(text)

const proofs: Readonly<Record<string, Proof>> = {
  'imports go down the order of wings and rooms': {
    bad: {
      'src/people/identity/a.ts': "import { b } from '../intake/b.ts'",
      'src/people/intake/a.ts': "import { b } from '../../messaging/flows/b.ts'",
      'src/content/catalogs/a.ts': "import type { b } from '../../audience/segments/b.ts'",
      'src/base/db/a.ts': "const b = await import('../http/b.ts')",
      'src/base/errors.ts': "import {\n  b,\n} from './db/b.ts'",
      'src/jobs.ts': "import './routes.ts'",
      'src/people/travel/a.ts': '',
      'src/people/a.ts': '',
      'src/base/text.ts': '',
    },
    places: [
      /^src\/people\/travel\/a\.ts stands in no room/,
      /^src\/people\/a\.ts stands in no room/,
      /^src\/base\/text\.ts stands in no room/,
      /^src\/people\/identity\/a\.ts:1 imports src\/people\/intake\/b\.ts, which is above/,
      /^src\/people\/intake\/a\.ts:1 imports src\/messaging\/flows\/b\.ts, which is above/,
      /^src\/content\/catalogs\/a\.ts:1 imports src\/audience\/segments\/b\.ts, which is beside/,
      /^src\/base\/db\/a\.ts:1 imports src\/base\/http\/b\.ts, which is above/,
      /^src\/base\/errors\.ts:1 imports src\/base\/db\/b\.ts, which is above/,
      /^src\/jobs\.ts:1 imports src\/routes\.ts, which is beside/,
    ],
    good: {
      'src/people/intake/a.ts':
        "import { b } from '../identity/b.ts'\nimport { c } from './c.ts'\n// import { d } from '../../app.ts'",
      'src/messaging/orders/a.ts': "import { b } from '../../audience/conditions/b.ts'",
      'src/base/log.ts': "import { Config } from './config.ts'",
      'src/routes.ts': "const text = `\nimport { d } from './app.ts'\n`",
    },
  },
  'imports in the dashboard go down its ladder': {
    bad: {
      'dashboard/src/ui/a.tsx': "import { b } from '../frame/b.tsx'",
      'dashboard/src/forms/a.tsx': '',
    },
    places: [
      /^dashboard\/src\/ui\/a\.tsx:1 imports dashboard\/src\/frame\/b\.tsx, which is above/,
      /^dashboard\/src\/forms\/a\.tsx stands nowhere/,
    ],
    good: { 'dashboard/src/pages/people/a.tsx': "import { b } from '../../ui/b.tsx'\nimport './a.module.css'" },
  },
  'parts of the dashboard know no route and no request': {
    bad: { 'dashboard/src/ui/a.tsx': "import { Link } from '@tanstack/react-router'" },
    places: [/^dashboard\/src\/ui\/a\.tsx:1 imports @tanstack\/react-router: ui knows no route/],
    good: { 'dashboard/src/frame/a.tsx': "import '@tanstack/react-router'" },
  },
  'the product does not import its tests and scripts': {
    bad: { 'src/users/a.ts': "import '../../test/sizes.ts'", 'cli/a.ts': "import { b } from '../scripts/b.ts'" },
    places: [/^src\/users\/a\.ts:1 imports test\/sizes\.ts: src may/, /^cli\/a\.ts:1 imports scripts\/b\.ts: cli may/],
    good: { 'test/a.test.ts': "import '../src/app.ts'", 'src/app.ts': "import pack from '../package.json'" },
  },
  'inside a folder routes use verbs, verbs use stores, stores use schema': {
    bad: {
      'src/users/routes.ts': '',
      'src/users/track.ts': "import './name-store.ts'\nimport './routes.ts'",
      'src/users/name-store.ts': '',
      'src/users/store.ts': "import './track.ts'",
      'src/users/schema.ts': "import './store.ts'",
    },
    places: [
      /^src\/users\/track\.ts imports src\/users\/routes\.ts: routes come first/,
      /^src\/users\/store\.ts imports src\/users\/track\.ts: a store knows no verb/,
      /^src\/users\/schema\.ts imports src\/users\/store\.ts: schema is the last/,
    ],
    good: {
      'src/routes.ts': "import './users/routes.ts'",
      'src/users/routes.ts': "import './track.ts'",
      'src/users/track.ts': "import './store.ts'\nimport './schema.ts'",
      'src/users/store.ts': "import './fold.ts'",
      'src/users/fold.ts': "import './schema.ts'",
      'src/users/schema.ts': '',
    },
  },
  'SQL is written in stores': {
    bad: { 'src/users/track.ts': "import { type Sql, sql } from '../base/db/sql.ts'" },
    places: [/^src\/users\/track\.ts:1 writes SQL/],
    good: {
      'src/users/track.ts': "import { type Sql } from '../base/db/sql.ts'",
      'src/users/name-store.ts': "import { sql } from '../base/db/sql.ts'",
      'src/base/db/weeks.ts': "import { sql } from './sql.ts'",
    },
  },
  'no file imports itself through other files': {
    bad: {
      'src/users/a.ts': "import './b.ts'",
      'src/users/b.ts': "export { c } from './c.ts'",
      'src/users/c.ts': "import type { a } from './a.ts'",
    },
    places: [/is in a cycle \(src\/users\/a\.ts -> src\/users\/b\.ts -> src\/users\/c\.ts -> src\/users\/a\.ts\)/],
    good: {
      'src/users/a.ts': "import './b.ts'\nimport './c.ts'",
      'src/users/b.ts': "import './c.ts'",
      'src/users/c.ts': '',
    },
  },
  'every imported package is in package.json': {
    bad: {
      'package.json': packages({ dependencies: { pg: '1' }, devDependencies: { 'fast-check': '1' } }),
      'src/base/db/a.ts': "import { x } from 'left-pad'\nimport fs from 'fs'\nimport fc from 'fast-check'",
      'test/a.ts': "import { y } from '@scope/name/part'",
    },
    places: [
      /^src\/base\/db\/a\.ts:1 imports left-pad: it is not in package\.json/,
      /^src\/base\/db\/a\.ts:2 imports fs: write node:fs/,
      /^src\/base\/db\/a\.ts:3 imports fast-check: production code needs it/,
      /^test\/a\.ts:1 imports @scope\/name: it is not/,
    ],
    good: {
      'package.json': packages({
        dependencies: { pg: '1', '@scope/name': '1' },
        devDependencies: { 'fast-check': '1' },
      }),
      'src/base/db/a.ts': "import fs from 'node:fs'\nimport x from '@scope/name/part'\nimport pg from 'pg'",
      'test/a.ts': "import fc from 'fast-check'",
    },
  },
  'every file is reached from an entry point': {
    bad: {
      'src/main.ts': "import './app.ts'",
      'src/app.ts': '',
      'src/users/a.ts': '',
      'test/a.test.ts': "import '../src/users/b.ts'",
      'src/users/b.ts': '',
    },
    places: [/^src\/users\/a\.ts nobody imports it/, /^src\/users\/b\.ts only tests import it/],
    good: {
      'package.json': packages({ scripts: { generate: 'node scripts/generate.ts' } }),
      'scripts/generate.ts': '',
      'src/main.ts': "new Worker(new URL('./base/db/engine.ts', import.meta.url))",
      'src/base/db/engine.ts': '',
      'src/base/db/engine.d.ts': '',
      'test/a.test.ts': "spawn('node', ['test/fault/child.ts'])",
      'test/fault/child.ts': '',
    },
  },
  'files are short': {
    bad: { 'src/users/a.ts': lines(401) },
    places: [/^src\/users\/a\.ts has 401 lines of at most 400/],
    good: { 'src/users/a.ts': `${lines(400)}\n`, 'docs/a.md': lines(1000) },
  },
  'functions are short': {
    bad: {
      'src/users/a.ts': `export async function a(\n  b: string,\n): Promise<void> {\n${lines(68, '  x()')}\n}`,
      'src/users/b.ts': `class B {\n  async go({ a }: { a: string }): Promise<{ b: string }> {\n${lines(69, '    x()')}\n  }\n}`,
      'test/c.test.ts': `test('sentence', async () => {\n${lines(69, '  x()')}\n})`,
    },
    places: [
      /^src\/users\/a\.ts:1 ".*" has 72 lines/,
      /^src\/users\/b\.ts:2 ".*" has 71 lines/,
      /^test\/c\.test\.ts:1 ".*" has 71 lines/,
    ],
    good: {
      'src/users/a.ts': `function a(): void {\n${lines(68, '  x()')}\n}\n\nconst b = {\n${lines(99, '  x: 1,')}\n}\n`,
      'src/users/b.ts': `function a(): void {}\nif (x) {\n${lines(99, '  x()')}\n}`,
      'test/c.test.ts': `describe('group', () => {\n${lines(99, '  test()')}\n})`,
    },
  },
  'lines are short': {
    bad: { 'src/users/a.ts': 'x'.repeat(141), 'migrations/0001_a.sql': `\n${'x'.repeat(141)}` },
    places: [/^src\/users\/a\.ts:1 is 141 columns/, /^migrations\/0001_a\.sql:2 is 141/],
    good: { 'src/users/a.ts': 'x'.repeat(140), 'README.md': 'x'.repeat(300) },
  },
  'names of types and functions say what they do': {
    bad: {
      'src/users/a.ts':
        'class UserManager {}\ninterface IUser {}\nfunction userInfo() {}\nconst parseUtil = (a: string): string => a\ntype RowData = 1',
    },
    places: [
      /:1 UserManager: "manager"/,
      /:3 userInfo: "info"/,
      /:5 RowData: "data"/,
      /:2 IUser: the I/,
      /:4 parseUtil: "util"/,
    ],
    good: {
      'src/users/a.ts':
        "import { type AddressInfo } from 'node:net'\ntype Identity = 1\nconst serviceName = () => 1\nlog.info('// class Helper')",
    },
  },
  'names of files say what the files do': {
    bad: {
      'src/users/index.ts': '',
      'src/users/userTrack.ts': '',
      'src/users/a-b-c-d-e.ts': '',
      'src/users/track-helper.ts': '',
      'src/common/a.ts': '',
    },
    places: [
      /index\.ts no index/,
      /userTrack\.ts name it/,
      /a-b-c-d-e\.ts name it/,
      /track-helper\.ts "helper"/,
      /^src\/common\/a\.ts "common"/,
    ],
    good: {
      'src/users/track.ts': '',
      'test/fault/worker-dies-mid-job.test.ts': '',
      'test/sim/track-model.long.test.ts': '',
    },
  },
  'an error that is caught and not rethrown has a reason in a comment': {
    bad: { 'src/users/a.ts': 'try {\n  x()\n} catch {\n}\ntry {\n  x()\n} catch (error) {\n  y(error)\n}' },
    places: [/:3 swallows/, /:7 swallows/],
    good: {
      'src/users/a.ts': 'try {\n  x()\n} catch {\n  // It is gone.\n}\n// Gone.\ntry {\n  x()\n} catch {\n}',
      'src/users/b.ts': 'try {\n  x()\n} catch (error) {\n  throw y(error)\n}',
      'test/a.test.ts': 'try {\n} catch {\n}',
    },
  },
  'time is read in one file': {
    bad: { 'src/users/a.ts': 'Date.now()\nnew Date()\nperformance.now()\nprocess.hrtime()\nTemporal.Now.instant()' },
    places: [/:1 Date\.now/, /:2 new Date\(\)/, /:3 performance\.now/, /:4 process\.hrtime/, /:5 Temporal\.Now/],
    good: {
      'src/base/clock.ts': 'Date.now()',
      'src/users/a.ts': "new Date(stamp)\nclock.now()\n'Date.now()'",
      'test/a.test.ts': 'Date.now()',
    },
  },
  'SQL does not read the time': {
    bad: {
      'migrations/0001_a.sql': 'create table a (at timestamptz default now());',
      'src/users/store.ts': 'sql`update a set at = clock_timestamp()`\nsql`select ${x} where at < CURRENT_TIMESTAMP`',
    },
    places: [/^migrations\/0001_a\.sql:1 now\(\)/, /store\.ts:1 clock_timestamp\(\)/, /store\.ts:2 CURRENT_TIMESTAMP/],
    good: {
      'migrations/0001_a.sql': '-- never now()\n',
      'src/users/store.ts': 'sql`select ${clock.now()} as time`\n// now()',
    },
  },
  'the environment is read in one file': {
    bad: { 'src/users/a.ts': 'process.env.HOME' },
    places: [/^src\/users\/a\.ts:1 reads the environment/],
    good: { 'src/base/config.ts': 'process.env', 'bench/a.ts': 'process.env' },
  },
  'nothing is decided by Math.random': {
    bad: { 'src/users/a.ts': 'Math.random()' },
    places: [/^src\/users\/a\.ts:1 Math\.random/],
    good: { 'bench/a.ts': 'Math.random()' },
  },
  'no test is skipped without a reason': {
    bad: { 'test/a.test.ts': "test.only('a')\ndescribe.skip('b')\nt.skip()\ntest('c', { skip: true })" },
    places: [/:1 test\.only/, /:2 describe\.skip/, /:3 \.skip\(\)/, /:4 skip: true/],
    good: { 'test/a.test.ts': "t.skip('PostgreSQL was not found')\ntest('c', { skip: reason })\n'.only('" },
  },
  'no comment names a plan or a discussion': {
    bad: { 'src/users/a.ts': `// ${'TO'}${'DO'}: later\n/* see ${'#'}12 */\n// from issue 3` },
    places: [/:1 TODO/, /:2 #12/, /:3 issue 3/],
    good: { 'src/users/a.ts': "const colour = '#123'\n// RFC 8058, section 2; a todo list" },
  },
  'no file names a path of one machine': {
    bad: { 'src/users/a.ts': "'/tmp/x'", 'docs/a.md': `cd ${'/wo'}rk/main` },
    places: [/^src\/users\/a\.ts:1 \/tmp\//, /^docs\/a\.md:1 \/work\//],
    good: { 'src/admin/a.ts': "'/admin/work/3'", 'test/a.ts': "'/tmp/x'" },
  },
  'an exported name means one thing': {
    bad: {
      'src/people/intake/a.ts': 'export type Row = 1',
      'src/people/merge/a.ts': 'export function Row() {}',
      'src/content/blocks/a.ts': 'export const Row = 1',
    },
    places: [/^src\/people\/intake\/a\.ts exports Row, as 3 rooms do/],
    good: {
      'src/people/intake/a.ts': 'export type Row = 1',
      'src/people/intake/b.ts': 'export type Row = 1',
      'src/people/merge/a.ts': 'export type Row = 1',
      'src/content/blocks/a.ts': 'type Row = 1',
    },
  },
  'a table is written by one room': {
    bad: {
      'migrations/0001_a.sql': 'create table shop (id int);\ncreate table order_line (id int);',
      'src/people/intake/store.ts': 'sql`insert into shop values (1)`',
      'src/people/merge/store.ts': 'sql`delete from shop`\nsql`update order_line set id = 2`',
    },
    places: [/table shop is written by people\/intake, people\/merge/],
    good: {
      'migrations/0001_a.sql': 'create table shop (id int);',
      'src/people/intake/store.ts': 'sql`insert into shop values (1)`',
      'src/people/merge/store.ts': 'sql`select 1 from shop`\n// delete from shop',
    },
  },
  'the walks of the architecture page name files that import each other': {
    bad: {
      'ARCHITECTURE.md': [
        ...[
          '## Walks',
          '### One',
          '1. `people/intake/a.ts` begins',
          '2. `people/merge/b.ts`',
          '3. `people/intake/c.ts`',
        ],
        ...['### Two', '1. `people/gone.ts`', '### Three', '### Four', '1. `people/merge/b.ts`', '## End'],
      ].join('\n'),
      'src/people/intake/a.ts': "import './c.ts'",
      'src/people/intake/c.ts': '',
      'src/people/merge/b.ts': '',
    },
    places: [
      /has 4 walks/,
      /"One": enters people\/intake twice/,
      /"One": src\/people\/merge\/b\.ts is imported by no file/,
      /"Two": src\/people\/gone\.ts is not there/,
      /"Three": names 0 files/,
    ],
    good: {
      'ARCHITECTURE.md': [
        '## Walks',
        ...'12345'.split('').flatMap((n) => [`### ${n}`, '1. `people/intake/a.ts`', '2. `people/intake/c.ts`']),
      ].join('\n'),
      'src/start.ts': "import './people/intake/c.ts'",
      'src/people/intake/a.ts': '',
      'src/people/intake/c.ts': '',
    },
  },
  'every table with rows of people is in the list of owned tables': {
    bad: {
      'migrations/0001_a.sql':
        'create table a (\n  profile_id bigint,\n  bucket int\n);\ncreate table b (\n  bucket int,\n  profile_id bigint\n) partition by x;',
    },
    owned: ['a', 'gone'],
    places: [/^migrations\/0001_a\.sql table b holds/, /^src\/people\/merge\/owned-tables\.ts table gone has no/],
    good: {
      'migrations/0001_a.sql':
        'create table flush (\n  bucket int\n);\ncreate table old (\n  bucket int,\n  profile_id bigint\n);',
      'migrations/0002_b.sql': 'drop table old;\n-- create table c (bucket int, profile_id int);',
    },
  },
}

for (const [rule, check] of Object.entries(checks)) {
  if (rule === 'forbidden words do not appear') continue
  test(`the check "${rule}" finds each violation and nothing else`, () => {
    const proof = proofs[rule]
    assert.ok(proof, 'this rule has no proof: add one to the table')
    const printed = check(treeOf(proof.bad, proof.owned)).map(
      ({ path, line, message }) => `${path}${line === undefined ? '' : `:${line}`} ${message}`,
    )
    for (const place of proof.places)
      assert.ok(
        printed.some((problem) => place.test(problem)),
        `${place} in\n${printed.join('\n')}`,
      )
    assert.equal(printed.length, proof.places.length, printed.join('\n'))
    assert.deepEqual(check(treeOf(proof.good)), [])
  })
}

test('the check finds a forbidden word in text, names and paths, in upper and lower case', () => {
  const hash = createHash('sha256').update('acme').digest('hex')
  const texts = {
    'docs/a.md': 'by Acme',
    'src/users/a.ts': "const acmeId = 'acme_id' // ACME",
    'docs/acme.md': '',
    'docs/b.md': 'acmeist',
  }
  const found = checkWords(treeOf(texts), [hash]).map(({ path }) => path)
  assert.deepEqual(found, ['docs/a.md', 'src/users/a.ts', 'src/users/a.ts', 'src/users/a.ts', 'docs/acme.md'])
})

test('the reader of programs separates code, strings and comments', () => {
  const text = 'const a = `x ${b({ c: `y ${d}` })} z` // e\nconst f = /g"[/]h/.test(i) / 2 /* j */ + "k"'
  const [source] = treeOf({ 'src/users/a.ts': text }).files
  const compact = (reading: string) => reading.replace(/\s+/g, ' ').trim()
  assert.equal(source!.code.length, text.length)
  assert.match(compact(source!.code), /^const a = ` b\(\{ c: ` d ` \}\) ` const f = .*\.test\(i\) \/ 2 \+ " "$/)
  assert.match(source!.strings, /x .*y .*z.*[\s\S]*g"\[\/\]h.*k/)
  assert.match(compact(source!.comments), /^\/\/ e \/\* j \*\/$/)
})

test('the length of a function counts from its head to its last brace', () => {
  const text =
    'function a<T>(\n  b: T,\n): void {\n  if (b) {\n    c()\n  }\n}\n\nconst d = async () => {\n  e(function () {\n    f()\n  })\n}\n'
  const [source] = treeOf({ 'src/users/a.ts': text }).files
  assert.deepEqual(
    functionsOf(source!).map(({ line, lines }) => [line, lines]),
    [
      [1, 7],
      [9, 5],
      [10, 3],
    ],
  )
})
