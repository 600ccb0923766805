import { isSecretHeader, sealedMark } from '../channels/webhook/secret-header.ts'
import type { FlowDefinition } from '../flows/flow.ts'
import { withHeaders } from '../flows/secret-headers.ts'

/** The texts of secret headers, each with its position among all headers of the definition. */
export type HeaderTexts = readonly (readonly [position: number, text: string])[]

/** Takes the texts of secret headers out of a definition, which may have any mistakes. Pure. */
export function takeHeaderTexts(definition: FlowDefinition): {
  readonly shown: FlowDefinition
  readonly texts: HeaderTexts
} {
  const texts: (readonly [number, string])[] = []
  let position = 0
  const shown = withHeaders(definition, (value, { name }) => {
    const at = position++
    if (!isSecretHeader(name, value)) return value
    texts.push([at, value])
    return sealedMark
  })
  return { shown, texts }
}

/** Puts the texts back. Pure. */
export function withHeaderTexts(shown: FlowDefinition, texts: HeaderTexts): FlowDefinition {
  const byPosition = new Map(texts)
  let position = 0
  return withHeaders(shown, (value) => byPosition.get(position++) ?? value)
}
