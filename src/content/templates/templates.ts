import type { Call } from '../../base/call.ts'
import type { Tx } from '../../base/db/db.ts'
import { invalid } from '../../base/errors.ts'
import { readSingle } from '../../base/http/query.ts'
import type { Query } from '../../base/http/route.ts'
import { newUuid } from '../../base/ids.ts'
import { bodyNotObject } from '../../people/values/refusals.ts'
import { isObject } from '../../people/values/values.ts'
import { recordAudit } from '../../workspace/audit/record.ts'
import { lockConfig } from '../../workspace/settings/store.ts'
import { listMentions } from '../blocks/block-store.ts'
import { listCenters } from '../centers/center-store.ts'
import { getText } from '../texts/fields.ts'
import { readListing } from '../texts/listing.ts'
import { templateTexts } from './schema.ts'
import {
  centerMentionsOf,
  changedTemplate,
  limitMessage,
  mentionsOf,
  readTemplateFields,
  type TemplateFields,
} from './template-fields.ts'
import {
  type EmailTemplate,
  findTemplate,
  insertTemplates,
  listTemplatePage,
  measureTemplates,
  type TemplateRow,
  updateTemplates,
} from './template-store.ts'

/** Creates a template: `POST /templates/email/create` (contract 4.11). */
export async function createTemplate(call: Call, body: unknown) {
  const { db, workspace_id, clock } = call
  if (!isObject(body)) throw invalid(bodyNotObject)
  const fields = readTemplateFields(body, true)
  const template = changedTemplate(undefined, newUuid(), fields)
  await db.transaction(async (tx) => {
    await lockConfig(tx)
    await refuseUnknownBlocks(tx, workspace_id, fields)
    await refuseUnknownCenters(tx, workspace_id, fields)
    await refuseOverLimits(tx, workspace_id, template)
    await insertTemplates(tx, workspace_id, [template], new Date(clock.now()))
    await recordAudit(tx, call, { ...auditEntry(template, 'create'), after: template, workspace_id })
  })
  return { email_template_id: template.id }
}

/** Updates a template: `POST /templates/email/update` (contract 4.11). Absent fields keep their values. */
export async function updateTemplate(call: Call, body: unknown) {
  const { db, workspace_id, clock } = call
  if (!isObject(body)) throw invalid(bodyNotObject)
  const fields = readTemplateFields(body, false)
  return db.transaction(async (tx) => {
    await lockConfig(tx)
    const before = await getTemplate(tx, workspace_id, body.email_template_id)
    await refuseUnknownBlocks(tx, workspace_id, fields)
    await refuseUnknownCenters(tx, workspace_id, fields)
    const template = changedTemplate(before, before.id, fields)
    await refuseOverLimits(tx, workspace_id, template)
    await updateTemplates(tx, workspace_id, [template], new Date(clock.now()))
    // Without the times, which change with every write.
    const { created_at: _created, updated_at: _updated, ...fieldsBefore } = before
    const states = { before: fieldsBefore, after: template }
    await recordAudit(tx, call, { ...auditEntry(template, 'update'), ...states, workspace_id })
    return { email_template_id: before.id }
  })
}

function auditEntry({ id, name }: EmailTemplate, verb: 'create' | 'update') {
  return { action: `email_template.${verb}`, target: { kind: 'email_template', id, name } }
}

/** Lists templates, oldest first: `GET /templates/email/list` (contract 4.11). */
export async function listTemplates({ db, workspace_id }: Call, query: Query) {
  const rows = await listTemplatePage(db, workspace_id, readListing(query, 'Email Template'))
  const templates = rows.map(({ id, name, created_at, updated_at, tags }) => ({
    email_template_id: id,
    template_name: name,
    created_at: created_at.toISOString(),
    updated_at: updated_at.toISOString(),
    tags,
  }))
  return { count: rows.length, templates }
}

/** Returns a template: `GET /templates/email/info` (contract 4.11). */
export async function describeTemplate({ db, workspace_id }: Call, query: Query) {
  const template = await getTemplate(db, workspace_id, readSingle(query, 'email_template_id'))
  return {
    email_template_id: template.id,
    template_name: template.name,
    description: template.description,
    subject: template.subject,
    preheader: template.preheader,
    body: template.body,
    plaintext_body: template.plaintext_body,
    should_inline_css: template.should_inline_css,
    tags: template.tags,
    created_at: template.created_at.toISOString(),
    updated_at: template.updated_at.toISOString(),
  }
}

async function refuseOverLimits(tx: Tx, workspace_id: number, template: EmailTemplate): Promise<void> {
  const message = limitMessage(await measureTemplates(tx, workspace_id, template.id), template)
  if (message) throw invalid(message)
}

/** Checks the texts of this request only: a block that has been deleted since does not prevent a change of the subject. */
async function refuseUnknownBlocks(tx: Tx, workspace_id: number, fields: TemplateFields): Promise<void> {
  const mentions = mentionsOf(fields)
  if (mentions.size === 0) return
  for (const { name } of await listMentions(tx, workspace_id)) mentions.delete(name)
  if (mentions.size === 0) return
  const errors = [...mentions].map((name) => ({ message: `There is no Content Block ${JSON.stringify(name)}` }))
  throw invalid(templateTexts.unknownBlocks, errors)
}

/** Checks the texts of this request only, with the place of each name. Drafts count. */
async function refuseUnknownCenters(tx: Tx, workspace_id: number, fields: TemplateFields): Promise<void> {
  const mentions = centerMentionsOf(fields)
  if (mentions.length === 0) return
  const known = new Set((await listCenters(tx, workspace_id)).map(({ name }) => name))
  const errors = mentions
    .filter(({ name }) => !known.has(name))
    .map(({ field, name, line, column }) => {
      return { field, message: `There is no Preference Center ${JSON.stringify(name)}`, line, column }
    })
  if (errors.length > 0) throw invalid(templateTexts.unknownCenters, errors)
}

function getTemplate(tx: Tx, workspace_id: number, id: unknown): Promise<TemplateRow> {
  return getText(id, (text) => findTemplate(tx, workspace_id, text), templateTexts)
}
