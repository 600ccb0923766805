import { Type } from 'typebox'
import type { Call } from '../../base/call.ts'
import { invalid } from '../../base/errors.ts'
import { isObject } from '../../people/values/values.ts'
import { workspace } from '../../workspace/settings/query-schema.ts'
import { roots } from '../liquid/names.ts'
import type { TemplateVariables } from '../liquid/variables.ts'
import type { Rendered } from './rendered.ts'
import type { Renderer } from './renderer.ts'

/** Texts of one preview. */
export const previewTextsMax = 20

export const PreviewQuery = Type.Object({ workspace })

const members = Type.Optional(Type.Record(Type.String(), Type.Unknown()))

/** Variables in a request. */
export const PersonalData = Type.Object(
  { standard: members, custom: members, ...Object.fromEntries(roots.map((root) => [root, members])) },
  {
    description: 'The data of the person and the message for the templates. `standard` has the names of the profile.',
  },
)

export const PreviewBody = Type.Object({
  texts: Type.Record(Type.String(), Type.String(), { description: 'The texts to render, by names of your own.' }),
  personal: Type.Optional(PersonalData),
})

const position = {
  text: Type.String(),
  content_block: Type.String({
    description: 'The content block that has the mistake: line and column are those of its content.',
  }),
  line: Type.Integer(),
  column: Type.Integer(),
}

export const PreviewReply = Type.Object({
  outcome: Type.Enum(['rendered', 'aborted', 'failed']),
  texts: Type.Optional(Type.Record(Type.String(), Type.String())),
  reason: Type.Optional(Type.String()),
  message: Type.String(),
  ...Type.Partial(Type.Object(position)).properties,
})

export type PreviewServices = { readonly renderer: Renderer }

/** Renders texts for the person in the request. A text that fails is a result, not an error. */
export function previewTexts(
  { clock }: Call,
  body: unknown,
  workspace_id: number,
  { renderer }: PreviewServices,
): Promise<Rendered> {
  if (!isObject(body)) throw invalid("The body must be an object with 'texts'")
  const { texts, personal = {}, ...others } = body
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(`'${unknown}' is not a member of a preview`)
  return renderer.render(readTexts(texts), readVariables(personal), {
    workspace_id,
    nowMs: clock.now(),
    kind: 'preview',
  })
}

function readTexts(texts: unknown): Record<string, string> {
  if (!isObject(texts)) throw invalid("'texts' must be an object of texts")
  const entries = Object.entries(texts)
  if (entries.length === 0 || entries.length > previewTextsMax)
    throw invalid(`'texts' must have 1 to ${previewTextsMax} members`)
  for (const [name, text] of entries) if (typeof text !== 'string') throw invalid(`'texts.${name}' must be a text`)
  return texts as Record<string, string>
}

/** Reads `personal` of a request. */
export function readVariables(personal: unknown): TemplateVariables {
  if (!isObject(personal)) throw invalid("'personal' must be an object")
  const known: readonly string[] = ['standard', 'custom', ...roots]
  for (const [name, value] of Object.entries(personal)) {
    if (!known.includes(name)) throw invalid(`'personal.${name}' is not known: ${known.join(', ')}`)
    if (!isObject(value)) throw invalid(`'personal.${name}' must be an object`)
  }
  return { standard: {}, custom: {}, ...personal }
}
