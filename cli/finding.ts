/** The result of a check of `easel doctor`, with a remedy when it is not ok. One that is ok may have advice. */
export type Finding = { subject: string; ok: boolean; text: string; remedy?: string }

/** Makes a finding. The remedy is left out when all is well. */
export function finding(subject: string, ok: boolean, text: string, remedy: string): Finding {
  return { subject, ok, text, ...(!ok && { remedy }) }
}

/** Makes a finding that is ok, with something that would be better. */
export function advice(subject: string, text: string, remedy: string): Finding {
  return { subject, ok: true, text, remedy }
}
