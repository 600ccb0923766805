import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { pino } from 'pino'
import { systemActor } from '../../src/base/call.ts'
import { systemClock } from '../../src/base/clock.ts'
import { ConfigError } from '../../src/base/config.ts'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { decrypt } from '../../src/base/encrypt.ts'
import { keyIdOf } from '../../src/base/root-secrets.ts'
import { findDraft, openTexts } from '../../src/messaging/drafts/draft-store.ts'
import { rotateSecrets } from '../../src/messaging/drafts/rotate-secrets.ts'
import { findCredential, listDkimKeys } from '../../src/messaging/mail/secret-store.ts'
import { type Lent, lendDatabase } from '../servers/spare.ts'
import { databases, drawDatabases, type Service, startService } from '../support/harness.ts'

const password = 'hunter2-of-the-credential'
const token = 'hunter3-of-the-webhook'
const newSecret = () => randomBytes(32).toString('hex')

const canvas = {
  ...{ id: 'calls', name: 'calls', state: 'active', entry: { by: ['api'] }, first: 'hook' },
  steps: [
    { id: 'hook', type: 'webhook', url: 'https://crm.example/in', headers: { Authorization: `Bearer ${token}` } },
  ],
}

async function fill(service: Service): Promise<void> {
  const credential = { name: 'crm', user_name: 'crm', password, origins: ['https://crm.example'] }
  await service.admin('POST', '/admin/credentials', credential)
  await service.admin('POST', '/admin/canvases', canvas)
  // The draft of a canvas that is not published has a secret that nothing else has.
  const definition = { ...canvas, id: 'drafted', name: 'drafted' }
  const { status } = await service.admin('PUT', '/admin/canvases/drafted/draft', { definition })
  assert.equal(status, 200)
}

type Sealed = { context: string; sealed: Buffer }

/** Everything that is encrypted in a database, as a thief of a backup finds it. */
async function listSealed(db: Db): Promise<Sealed[]> {
  const credentials = await db.query<Sealed>(sql`
    select 'credential ' || workspace_id || ' ' || id as context, password as sealed from credential`)
  const headers = await db.query<Sealed>(sql`
    select 'flow_header ' || f.workspace_id || ' ' || f.id || ' hook authorization' as context,
      decode(v.definition #>> '{steps,0,headers,Authorization,sealed}', 'base64') as sealed
    from flow_version v join flow f on f.flow_id = v.flow_id`)
  const drafts = await db.query<Sealed>(sql`
    select 'flow_draft ' || workspace_id || ' ' || kind || ' ' || id as context, secrets as sealed from flow_draft`)
  return [...credentials, ...headers, ...drafts]
}

/** How many of them a key of the database opens. */
async function openedBy(db: Db, keys: readonly Buffer[]): Promise<number> {
  const opens = ({ context, sealed }: Sealed, key: Buffer) => {
    try {
      return decrypt(sealed, context, key) !== ''
    } catch {
      // A wrong key.
      return false
    }
  }
  return (await listSealed(db)).filter((each) => keys.some((key) => opens(each, key))).length
}

/** The keys that a backup contains. */
async function keysIn(db: Db): Promise<Buffer[]> {
  const [row] = await db.query<{ secret: Buffer; sealing_key: Buffer | null }>(
    sql`select secret, sealing_key from installation`,
  )
  return [row!.secret, ...(row!.sealing_key ? [row!.sealing_key] : [])]
}

async function worksWith(lent: Lent, env: Record<string, string>): Promise<void> {
  await using service = await startService({ on: lent, env })
  assert.equal((await service.admin('GET', '/admin/credentials')).body.credentials.length, 1)
  assert.equal((await findCredential(lent.db, await workspaceOf(lent.db), 'crm'))?.password, password)
  const { body } = await service.admin('GET', '/admin/canvases/calls')
  assert.deepEqual(body.canvas.steps[0].headers, { Authorization: { sealed: true } })
  assert.deepEqual((await service.admin('POST', '/admin/apply', { canvases: [canvas] })).body.changes, [])
  const { draft } = (await service.admin('GET', '/admin/canvases/drafted/draft')).body
  assert.deepEqual(draft.definition.steps[0].headers, { Authorization: { sealed: true } })
  const key = { workspace_id: await workspaceOf(lent.db), kind: 'canvas', id: 'drafted' } as const
  assert.deepEqual(
    (await openTexts(lent.db, key, (await findDraft(lent.db, key))!)).map(([, text]) => text),
    [`Bearer ${token}`],
  )
}

async function workspaceOf(db: Db): Promise<number> {
  const [row] = await db.query<{ workspace_id: number }>(sql`select workspace_id from workspace`)
  return row!.workspace_id
}

const rotate = (db: Db, secret: string) => rotateSecrets({ db, clock: systemClock(), actor: systemActor }, secret)

const refusal = (lent: Lent, env: Record<string, string>, message: RegExp) =>
  assert.rejects(
    startService({ on: lent, env }),
    (error) => error instanceof ConfigError && message.test(error.message),
  )

for (const database of drawDatabases('stolen-backup')) {
  describe(`the root secret (${database})`, () => {
    test('a backup of the database alone opens nothing', async () => {
      const lent = await lendDatabase(database)
      const EASEL_SECRET = newSecret()
      {
        await using service = await startService({ on: lent, env: { EASEL_SECRET } })
        await fill(service)
      }
      assert.equal((await listSealed(lent.db)).length, 3)
      assert.equal(await openedBy(lent.db, await keysIn(lent.db)), 0)
      await refusal(lent, {}, new RegExp(`^EASEL_SECRET: no value was given, .*key id ${keyIdOf(EASEL_SECRET)}$`))
      const other = newSecret()
      await refusal(lent, { EASEL_SECRET: other }, new RegExp(`the key ids ${keyIdOf(other)} were given`))
      await worksWith(lent, { EASEL_SECRET })
      await lent.db.close()
    })

    test('a rotation needs both secrets before it, and the new one alone after it', async () => {
      const lent = await lendDatabase(database)
      const [old, next] = [newSecret(), newSecret()]
      {
        await using service = await startService({ on: lent, env: { EASEL_SECRET: old } })
        await fill(service)
      }
      const before = await listSealed(lent.db)
      {
        await using running = await startService({ on: lent, env: { EASEL_SECRET: `${next},${old}` } })
        assert.equal(await rotate(lent.db, next), keyIdOf(next))
        // The running service reads the new key at once.
        assert.equal((await running.admin('GET', '/admin/credentials')).body.credentials.length, 1)
        const { body } = await running.admin('GET', '/admin/audit')
        assert.equal(
          body.audit.some(({ action }: { action: string }) => action === 'secrets.rotate'),
          true,
        )
      }
      const after = await listSealed(lent.db)
      for (const { sealed } of after) assert.ok(before.every((each) => !each.sealed.equals(sealed)))
      await refusal(lent, { EASEL_SECRET: old }, new RegExp(`needs the secret with the key id ${keyIdOf(next)}$`))
      await worksWith(lent, { EASEL_SECRET: next })
      await lent.db.close()
    })

    test('an installation without a root secret gets one, and then its own key opens nothing more', async () => {
      const lent = await lendDatabase(database)
      {
        await using service = await startService({ on: lent })
        await fill(service)
      }
      const stolen = await keysIn(lent.db)
      assert.equal(await openedBy(lent.db, stolen), 3)
      const EASEL_SECRET = newSecret()
      const lines: string[] = []
      {
        const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
        await using service = await startService({ on: lent, env: { EASEL_SECRET }, log })
        assert.ok(lines.some((line) => line.includes('EASEL_SECRET protects nothing yet')))
        await rotate(lent.db, EASEL_SECRET)
        assert.equal((await service.admin('GET', '/admin/credentials')).body.credentials.length, 1)
      }
      assert.equal(await openedBy(lent.db, [...stolen, ...(await keysIn(lent.db))]), 0)
      assert.ok(lines.every((line) => !line.includes(EASEL_SECRET)))
      assert.deepEqual(await listDkimKeys(lent.db, await workspaceOf(lent.db)), [])
      await worksWith(lent, { EASEL_SECRET })
      await lent.db.close()
    })
  })
}

test('the root secret can come from a file', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'easel-secret-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const lent = await lendDatabase(databases[0]!)
  t.after(() => lent.db.close())
  const file = join(folder, 'secret')
  const secret = newSecret()
  writeFileSync(file, `${secret}\n`)
  {
    await using service = await startService({ on: lent, env: { EASEL_SECRET_FILE: file } })
    await fill(service)
  }
  await worksWith(lent, { EASEL_SECRET: secret })
  writeFileSync(file, 'too short')
  await refusal(
    lent,
    { EASEL_SECRET_FILE: file },
    /^EASEL_SECRET_FILE: the content of .* was given, accepted is 1 to 10 secrets/,
  )
  await refusal(
    lent,
    { EASEL_SECRET_FILE: join(folder, 'none') },
    /^EASEL_SECRET_FILE: .* cannot be read \(ENOENT\), accepted is a file/,
  )
})
