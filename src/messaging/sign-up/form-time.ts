import { createHmac, timingSafeEqual } from 'node:crypto'

/** A page of a form that is older than this is shown again. */
export const shownMsMax = 24 * 3_600_000
const radix = 36
const pattern = /^([0-9a-z]{6,12})\.([0-9a-f]{32})$/
const checkDigits = 32

/** The form of a time: a time cannot be used for another form. */
export type FormKey = { readonly workspace_id: number; readonly form_id: string }

/** Returns the signed time at which a page was shown, for a hidden field. It needs no memory and no script. Pure. */
export function formatShownAt(key: FormKey, nowMs: number, secret: Buffer): string {
  const text = Math.floor(nowMs).toString(radix)
  return `${text}.${checkOf(key, text, secret)}`
}

/** Returns for how long the page was open, in milliseconds. Undefined for a text that this installation has not signed for the form. */
export function openedForMs(key: FormKey, given: string, nowMs: number, secret: Buffer): number | undefined {
  const [, text = '', check = ''] = pattern.exec(given) ?? []
  if (text === '') return undefined
  const expected = Buffer.from(checkOf(key, text, secret))
  if (!timingSafeEqual(Buffer.from(check), expected)) return undefined
  return Math.max(0, nowMs - Number.parseInt(text, radix))
}

function checkOf({ workspace_id, form_id }: FormKey, text: string, secret: Buffer): string {
  return createHmac('sha256', secret)
    .update(JSON.stringify(['sign-up form', workspace_id, form_id, text]))
    .digest('hex')
    .slice(0, checkDigits)
}
