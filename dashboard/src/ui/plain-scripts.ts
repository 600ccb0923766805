import { LanguageSupport, StreamLanguage } from '@codemirror/language'

/** What the language of HTML imports for its scripts: text without colours. */
const plain = StreamLanguage.define({
  token(stream) {
    stream.skipToEnd()
    return null
  },
})
// HTML asks for variants of the parser, and there is one.
Object.assign(plain.parser, { configure: () => plain.parser })

export const javascriptLanguage = plain
export const typescriptLanguage = plain
export const jsxLanguage = plain
export const tsxLanguage = plain

export function javascript(): LanguageSupport {
  return new LanguageSupport(plain)
}
