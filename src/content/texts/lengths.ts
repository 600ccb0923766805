/** Characters of a subject, a preheader or a description. */
export const lineCharactersMax = 1_000
