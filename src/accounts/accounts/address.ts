const charactersMax = 254
/** Nothing in it that means something else in the head of a mail. */
const form = /^[^\s<>"(),:;\\@\p{C}]+@[^\s<>"(),:;\\@\p{C}]+$/u

/** Whether a text can be the address of an account. Whether it exists is for the mail server to say. */
export function isAddress(text: string): boolean {
  return text.length <= charactersMax && form.test(text)
}
