export const uriRule = 'must be an address that a click can open, such as https://example.com/offers or myapp://offers'

/** Schemes that run a program instead of opening something. */
const refusedSchemes: ReadonlySet<string> = new Set(['javascript:', 'data:', 'vbscript:', 'file:', 'blob:'])

/** Returns whether a click may open an address: a URL of a page, or one that an app on the device has registered. Pure. */
export function isOpenable(uri: string): boolean {
  return URL.canParse(uri) && !refusedSchemes.has(new URL(uri).protocol)
}
