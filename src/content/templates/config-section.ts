import type { Static } from 'typebox'
import type { ConfigSection, EntryResolution, GivenEntry } from '../../workspace/file/config-section.ts'
import type { Mistake } from '../../workspace/settings/mistake.ts'
import { malformedMistake } from '../texts/malformed.ts'
import { allBodyBytesMax, TemplateShape, templatesMax } from './schema.ts'
import { bodyBytesOf, liquidFields } from './template-fields.ts'
import {
  deleteTemplate,
  type EmailTemplate,
  insertTemplates,
  listTemplates,
  type TemplateRow,
  updateTemplates,
} from './template-store.ts'

/** A template in a workspace file; the times are missing until it is stored. */
export type TemplateEntry = EmailTemplate & Partial<Pick<TemplateRow, 'created_at' | 'updated_at'>>

/** `email_templates`: the e-mails that messages name by `email_template_id`. */
export const templatesSection: ConfigSection<TemplateEntry> = {
  name: 'email_templates',
  path: 'email_templates',
  one: 'email_template',
  shape: TemplateShape,
  countMax: templatesMax,
  counts: () => true,
  list: listTemplates,
  resolve: resolveTemplate,
  checkTogether: checkBodyBytes,
  toReply,
  async insert(tx, workspace_id, templates, at) {
    await insertTemplates(tx, workspace_id, templates, at)
    return []
  },
  update: updateTemplates,
  endSummary: 'Delete an e-mail template that no canvas or campaign uses.',
  end: deleteTemplate,
}

function resolveTemplate(
  given: GivenEntry & { readonly id: string },
  before: TemplateEntry | undefined,
): EntryResolution<TemplateEntry> {
  const { name, subject, body, ...rest } = given as unknown as Static<typeof TemplateShape>
  const after: EmailTemplate = {
    id: given.id,
    name,
    description: rest.description ?? before?.description ?? '',
    subject,
    preheader: rest.preheader ?? before?.preheader ?? null,
    body,
    plaintext_body: rest.plaintext_body ?? before?.plaintext_body ?? null,
    should_inline_css: rest.should_inline_css ?? before?.should_inline_css ?? null,
    tags: rest.tags ?? before?.tags ?? [],
  }
  for (const field of liquidFields) {
    const mistake = malformedMistake(field, after[field] ?? '')
    if (mistake) return { mistake }
  }
  return { entry: { ...before, ...after } }
}

function checkBodyBytes(templates: readonly TemplateEntry[]): { id: string; mistake: Mistake }[] {
  const bodyBytes = templates.reduce((sum, template) => sum + bodyBytesOf(template), 0)
  if (bodyBytes <= allBodyBytesMax) return []
  const message = `exceeds the limit: email templates of a workspace have at most ${allBodyBytesMax} bytes together, not ${bodyBytes}`
  return [{ id: templates.at(-1)!.id, mistake: { path: 'body', message } }]
}

/** Leaves null out, so that the entry can be applied again. */
function toReply({ created_at: _created, updated_at: _updated, ...template }: TemplateEntry) {
  return Object.fromEntries(Object.entries(template).filter(([, value]) => value !== null))
}
