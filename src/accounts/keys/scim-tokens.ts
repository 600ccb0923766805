import Type, { type Static } from 'typebox'
import type { Tx } from '../../base/db/db.ts'
import { conflict, notFound } from '../../base/errors.ts'
import { generateToken, newUuid } from '../../base/ids.ts'
import { type AuditAuthor, recordAudit } from '../../workspace/audit/record.ts'
import type { WriteCall } from '../../workspace/file/apply.ts'
import { mistakesOf } from '../../workspace/file/check-shape.ts'
import { mistakesToFailure } from '../../workspace/settings/mistake.ts'
import { Name } from '../../workspace/settings/schema.ts'
import { lockConfig, raiseConfigVersion } from '../../workspace/settings/store.ts'
import { hashKey } from './config-section.ts'
import { AllowedIps } from './schema.ts'
import {
  deleteScimToken,
  insertScimToken,
  listScimTokens,
  type ScimTokenRow,
  updateScimToken,
  updateScimTokenOrigin,
} from './scim-token-store.ts'

export const scimTokensMax = 100
/** The name of the SCIM token that is given by the variable of the same name. */
const environmentName = 'EASEL_SCIM_TOKEN'
const firstName = 'First SCIM token'

const Origin = Type.String({
  pattern: '^https?://[A-Za-z0-9.:\\[\\]_-]{1,255}$',
  description: 'an origin such as https://idp.example.com, without path',
})

export const ScimTokenShape = Type.Object(
  {
    name: Name,
    origin: Type.Optional(
      Type.Union([Origin, Type.Null()], {
        description: 'an origin such as https://idp.example.com, without path, or null for a token that needs none',
      }),
    ),
    allowed_ips: Type.Optional(AllowedIps),
    may_grant: Type.Optional(
      Type.Boolean({ description: 'true or false: whether it may change permissions of accounts' }),
    ),
  },
  { additionalProperties: false, description: 'an object with name' },
)
type Given = Static<typeof ScimTokenShape>

/** A token without its text. */
export type ScimTokenReply = ReturnType<typeof toReply>

export async function readScimTokens(tx: Tx): Promise<{ tokens: ScimTokenReply[] }> {
  return { tokens: (await listScimTokens(tx)).map(toReply) }
}

/**
 * Creates a token. The answer has its text; this is the only time that it is shown. `origin` is used when the body gives none; null in the
 * body means that any origin may use it. Throws 400, and 409 for a name that is taken.
 */
export async function createScimToken(call: WriteCall, body: unknown, origin: string) {
  const mistakes = mistakesOf(ScimTokenShape, body, '')
  if (mistakes.length > 0) throw mistakesToFailure('', mistakes)
  const given = body as Given
  return inConfigTransaction(call, async (tx) => {
    const tokens = await listScimTokens(tx)
    if (tokens.some(({ name }) => name === given.name)) throw conflict('There is a SCIM token with this name already')
    if (tokens.length >= scimTokensMax)
      throw conflict(`There are ${scimTokensMax} SCIM tokens, and more are not allowed`)
    const text = generateToken('easel_scim')
    return { token: { ...(await insert(tx, call, { origin, ...given }, text)), token: text } }
  })
}

/** Replaces the text of a token and returns the new one. The old text is refused everywhere within a second. Throws 404. */
export function rotateScimToken(call: WriteCall, id: string) {
  return inConfigTransaction(call, async (tx) => {
    const before = await find(tx, id)
    if (before.name === environmentName) throw conflict('This token follows EASEL_SCIM_TOKEN: change the variable')
    const text = generateToken('easel_scim')
    const hashed = hashToken(text)
    await updateScimToken(tx, { id, ...hashed })
    const after = toReply({ ...before, ...hashed, last_used_at: null })
    await recordAudit(tx, call, {
      action: 'scim_token.rotate',
      target: targetOf(before),
      before: toReply(before),
      after,
    })
    return { token: { ...after, token: text } }
  })
}

/** Deletes a token. Throws 404. */
export function removeScimToken(call: WriteCall, id: string): Promise<void> {
  return inConfigTransaction(call, async (tx) => remove(tx, call, await find(tx, id)))
}

/**
 * Stores the token of the environment, or generates one at the first start. Both get the origin of the environment. Returns whether
 * something was written, and the generated text.
 */
export async function ensureScimToken(
  tx: Tx,
  by: AuditAuthor,
  first: boolean,
  given: string | undefined,
  origin?: string,
) {
  const tokens = await listScimTokens(tx)
  let changed = false
  for (const token of tokens) {
    const follows = token.name === environmentName || token.name === firstName
    if (!follows || origin === undefined || token.origin === origin) continue
    await updateScimTokenOrigin(tx, token.id, origin)
    const [before, after] = [{ origin: token.origin }, { origin }]
    await recordAudit(tx, by, { action: 'scim_token.update', target: targetOf(token), before, after })
    changed = true
  }
  if (given === undefined && !first) return { changed, generated: {} }
  const text = given ?? generateToken('easel_scim')
  const { token_hash } = hashToken(text)
  if (tokens.some((token) => token.token_hash.equals(token_hash))) return { changed, generated: {} }
  const name = given === undefined ? firstName : environmentName
  const earlier = tokens.find((token) => token.name === name)
  if (earlier) await remove(tx, by, earlier)
  await insert(tx, by, { name, ...(origin && { origin }) }, text)
  return { changed: true, generated: given === undefined ? { scimToken: text } : {} }
}

async function inConfigTransaction<T>({ db }: WriteCall, work: (tx: Tx) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const done = await work(tx)
    await raiseConfigVersion(tx)
    return done
  })
}

async function find(tx: Tx, id: string): Promise<ScimTokenRow> {
  const found = (await listScimTokens(tx)).find((token) => token.id === id)
  if (!found) throw notFound(`There is no SCIM token ${JSON.stringify(id)}`)
  return found
}

async function insert(
  tx: Tx,
  by: AuditAuthor,
  { name, origin = null, allowed_ips = [], may_grant = true }: Given,
  text: string,
) {
  const token = { id: newUuid(), name, origin, allowed_ips, may_grant, ...hashToken(text) }
  const created_at = new Date(by.clock.now())
  await insertScimToken(tx, token, created_at)
  const after = toReply({ ...token, created_at, last_used_at: null })
  await recordAudit(tx, by, { action: 'scim_token.create', target: targetOf(token), after })
  return after
}

async function remove(tx: Tx, by: AuditAuthor, token: ScimTokenRow): Promise<void> {
  await deleteScimToken(tx, token.id)
  await recordAudit(tx, by, { action: 'scim_token.delete', target: targetOf(token), before: toReply(token) })
}

function hashToken(text: string): Pick<ScimTokenRow, 'token_hash' | 'token_start'> {
  const { key_hash, key_start } = hashKey(text)
  return { token_hash: key_hash, token_start: key_start }
}

function targetOf({ id, name }: Pick<ScimTokenRow, 'id' | 'name'>) {
  return { kind: 'scim_token', id, name }
}

function toReply(token: ScimTokenRow) {
  const { id, name, token_start, origin, allowed_ips, may_grant } = token
  const created_at = token.created_at.toISOString()
  const last_used_at = token.last_used_at?.toISOString() ?? null
  return { id, name, token_start, origin, allowed_ips, may_grant, created_at, last_used_at }
}
