import type { BackupLine } from '../src/people/backup/backup-lines.ts'
import type { PeoplePage } from '../src/people/backup/read-backup.ts'

/** Some lines, how many people begin in them, and the share of all people that were read by then. */
export type ReadPage = {
  readonly lines: readonly BackupLine[]
  readonly people: number
  readonly share: PeoplePage['share']
}

/** Reads everybody page by page. `read` returns the page after a place; undefined is the beginning. */
export async function* peoplePages(read: (after: string | undefined) => Promise<PeoplePage>): AsyncGenerator<ReadPage> {
  let after: string | undefined
  do {
    const { lines, next, share } = await read(after)
    yield { lines, people: lines.filter(({ profile }) => profile !== undefined).length, share }
    after = next ?? undefined
  } while (after !== undefined)
}
