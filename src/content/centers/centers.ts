import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { newUuid } from '../../base/ids.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { getText } from '../texts/fields.ts'
import { changedCenter, readCenterFields } from './center-fields.ts'
import {
  type Center,
  type CenterRow,
  findCenter,
  insertCenter,
  type ListedCenter,
  listCenters as listRows,
  updateCenter as updateRow,
} from './center-store.ts'
import { centersMax, centerTexts as texts } from './schema.ts'

/** Creates a preference center: `POST /preference_center/v1` (contract 10.5). */
export async function createCenter(call: Call, body: unknown) {
  const { db, workspace_id, clock } = call
  if (!isObject(body)) throw invalid(bodyNotObject)
  const center = changedCenter(undefined, newUuid(), readCenterFields(body, true))
  const at = new Date(clock.now())
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    if ((await checkName(tx, workspace_id, center)) >= centersMax) throw invalid(texts.tooMany)
    await insertCenter(tx, workspace_id, center, at)
    await recordAudit(tx, call, { ...auditEntry(center, 'create'), after: center, workspace_id })
  })
  return { ...keys(center), created_at: at.toISOString() }
}

/** Updates a preference center: `PUT /preference_center/v1/{id}` (contract 10.5). Absent fields keep their values. */
export async function updateCenter(call: Call, id: unknown, body: unknown) {
  const { db, workspace_id, clock } = call
  if (!isObject(body)) throw invalid(bodyNotObject)
  const fields = readCenterFields(body, false)
  const at = new Date(clock.now())
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const { created_at, updated_at: _, ...before } = await getCenter(tx, workspace_id, id)
    const center = changedCenter(before, before.id, fields)
    // Templates refer to an active one by its name.
    if (before.state === 'active' && center.name !== before.name) throw invalid(texts.nameFixed)
    await checkName(tx, workspace_id, center)
    await updateRow(tx, workspace_id, center, at)
    await recordAudit(tx, call, { ...auditEntry(center, 'update'), before, after: center, workspace_id })
    return { ...keys(center), created_at: created_at.toISOString(), updated_at: at.toISOString() }
  })
}

/** Lists preference centers, oldest first: `GET /preference_center/v1/list` (contract 10.5). */
export async function listCenters({ db, workspace_id }: Call) {
  return { preference_centers: (await listRows(db, workspace_id)).map(listedFields) }
}

/** Returns a preference center: `GET /preference_center/v1/{id}` (contract 10.5). */
export async function describeCenter({ db, workspace_id }: Call, id: unknown) {
  const center = await getCenter(db, workspace_id, id)
  return {
    ...listedFields(center),
    preference_center_title: center.title,
    preference_center_page_html: center.page_html,
    confirmation_page_html: center.confirmation_html,
    redirect_page_html: null,
    preference_center_options: center.options,
    state: center.state,
  }
}

/** Returns the preference center of a path. Throws a 400 if there is none. */
export function getCenter(tx: Tx, workspace_id: number, id: unknown): Promise<CenterRow> {
  return getText(id, (text) => findCenter(tx, workspace_id, text), texts)
}

/** Throws a 400 for a name that is taken. Returns the number of other preference centers. */
async function checkName(tx: Tx, workspace_id: number, { id, name }: Center): Promise<number> {
  const others = (await listRows(tx, workspace_id)).filter((other) => other.id !== id)
  if (others.some((other) => other.name === name)) throw invalid(texts.nameTaken)
  return others.length
}

function keys({ id, name }: Center) {
  return { preference_center_api_id: id, liquid_tag: `{{preference_center.$\{${name}}}}` }
}

function listedFields({ id, name, created_at, updated_at }: ListedCenter) {
  return {
    name,
    preference_center_api_id: id,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
  }
}

function auditEntry({ id, name }: Center, verb: 'create' | 'update') {
  return { action: `preference_center.${verb}`, target: { kind: 'preference_center', id, name } }
}
