/** Browsers since 2025 write such a value as the text that it was made from. */
type RawJson = { readonly rawJSON?: (text: string) => unknown }
type Context = { readonly source?: string }

/** Numbers with at most so many digits are the same as a double. */
const exactDigits = 15

/**
 * Parses JSON, and keeps numbers that a double would change: `JSON.stringify` writes them with the digits that they had. In an older
 * browser they change, as `JSON.parse` has them. Throws a SyntaxError. Pure.
 */
export function parseExactly(text: string): unknown {
  const { rawJSON } = JSON as RawJson
  if (!rawJSON) return JSON.parse(text)
  return JSON.parse(text, (_key, value: unknown, context?: Context) => {
    const source = context?.source
    return source !== undefined && typeof value === 'number' && isChanged(value, source) ? rawJSON(source) : value
  })
}

function isChanged(value: number, source: string): boolean {
  const digits = source.replace(/e.*$/i, '').replace(/[-.]/g, '').replace(/^0+/, '')
  if (!Number.isFinite(value) || (value === 0 && digits !== '')) return true
  return digits.length > exactDigits && String(value) !== source
}
