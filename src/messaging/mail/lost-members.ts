/** A member of a request that is accepted but not kept as sent. `reason` is the rest of a sentence that begins with its path. */
export type LostMember = { readonly member: string; readonly reason: string }

/** What reading an e-mail object finds. `warnings` are sentences without a period. */
export type Findings = { readonly warnings: string[]; readonly lost: LostMember[] }

/** The most members that the warning about unknown members lists. */
const unknownMembersMax = 10
const unknownMemberCharactersMax = 60

/** Finds the members of an object that have no effect, because they are not known. */
export function findUnknown(
  given: Readonly<Record<string, unknown>>,
  known: ReadonlySet<string>,
  path: string,
  { warnings, lost }: Findings,
): void {
  const unknown = Object.keys(given).filter((name) => !known.has(name))
  if (unknown.length === 0) return
  const names = unknown
    .slice(0, unknownMembersMax)
    .map((name) => JSON.stringify(name.slice(0, unknownMemberCharactersMax).toWellFormed()))
  warnings.push(`${path} has members that are not known here: ${names.join(', ')}`)
  // A request may have more members than a call may have arguments.
  for (const name of unknown) lost.push({ member: `${path}.${name}`, reason: 'is not known here' })
}
