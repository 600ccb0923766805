import { Type } from 'typebox'
import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isObject } from '../../people/values/values.ts'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { roots } from '../liquid/names.ts'
import type { Personal, Rendered } from '../liquid/personal.ts'
import type { Renderer } from './render.ts'

/** Texts that one preview may render. */
export const previewTextsMax = 20

const facts = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
const place = { text: Type.String(), line: Type.Integer(), column: Type.Integer() }

export const PreviewQuery = Type.Object({ workspace })

export const PreviewBody = Type.Object({
  texts: Type.Record(Type.String(), Type.String(), { description: 'What is rendered, by names of your own.' }),
  personal: Type.Optional(
    Type.Object(
      { standard: facts, custom: facts, ...Object.fromEntries(roots.map((root) => [root, facts])) },
      { description: 'What templates see of the person and the message: standard fields by the names of the profile.' },
    ),
  ),
})

export const PreviewReply = Type.Object({
  outcome: Type.Enum(['rendered', 'aborted', 'failed']),
  texts: Type.Optional(Type.Record(Type.String(), Type.String())),
  reason: Type.Optional(Type.String()),
  message: Type.String(),
  ...Type.Partial(Type.Object(place)).properties,
})

export type PreviewParts = { readonly renderer: Renderer }

/** What texts come to for somebody who is described in the request. A text that fails is an answer, not an error. */
export function previewTexts(
  { clock }: Call,
  body: unknown,
  workspace_id: number,
  { renderer }: PreviewParts,
): Promise<Rendered> {
  if (!isObject(body)) throw invalid("The body must be an object with 'texts'")
  const { texts, personal = {}, ...others } = body
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`'${unknown}' is not a member of a preview`)
  return renderer.render(readTexts(texts), readPersonal(personal), { workspace_id, nowMs: clock.now() })
}

function readTexts(texts: unknown): Record<string, string> {
  if (!isObject(texts)) throw invalid("'texts' must be an object of texts")
  const entries = Object.entries(texts)
  if (entries.length === 0 || entries.length > previewTextsMax)
    throw invalid(`'texts' must have 1 to ${previewTextsMax} members`)
  for (const [name, text] of entries) if (typeof text !== 'string') throw invalid(`'texts.${name}' must be a text`)
  return texts as Record<string, string>
}

function readPersonal(personal: unknown): Personal {
  if (!isObject(personal)) throw invalid("'personal' must be an object")
  const known: readonly string[] = ['standard', 'custom', ...roots]
  for (const [name, value] of Object.entries(personal)) {
    if (!known.includes(name)) throw invalid(`'personal.${name}' is not known: ${known.join(', ')}`)
    if (!isObject(value)) throw invalid(`'personal.${name}' must be an object`)
  }
  return { standard: {}, custom: {}, ...personal }
}
