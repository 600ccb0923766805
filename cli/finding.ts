/** The result of a check of `easel doctor`, with a remedy when it is not ok. */
export type Finding = { subject: string; ok: boolean; text: string; remedy?: string }
