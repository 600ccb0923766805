const charactersMax = 254
/** Excludes characters that have a meaning in the header of a mail. */
const form = /^[^\s<>"(),:;\\@\p{C}]+@[^\s<>"(),:;\\@\p{C}]+$/u

/** Whether a text has the form of an e-mail address. */
export function isAddress(text: string): boolean {
  return text.length <= charactersMax && form.test(text)
}
