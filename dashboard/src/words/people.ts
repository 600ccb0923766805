type Named = {
  readonly id: string
  readonly first_name: string | null
  readonly last_name: string | null
  readonly external_id: string | null
}

/** The name of a person as lists show it; without a name, the external id, else the beginning and the end of the id. */
export function displayName({ id, first_name, last_name, external_id }: Named): string {
  const name = [first_name, last_name].filter((part) => part !== null && part.trim() !== '').join(' ')
  if (name !== '') return name
  return external_id ?? shortId(id)
}

/** An id that fits into a column. */
export function shortId(id: string): string {
  return id.length <= 12 ? id : `${id.slice(0, 6)}..${id.slice(-4)}`
}

const typedCharactersMax = 60

/** The text that is typed to confirm that something is done to a person: the name, or the id when nobody would type the name. */
export function confirmName(person: Named): string {
  const name = displayName(person).trim()
  return name.length > typedCharactersMax ? shortId(person.id) : name
}
