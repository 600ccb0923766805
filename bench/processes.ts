import { readdirSync, readFileSync } from 'node:fs'

/** A process as in `/proc/<pid>/stat`. Times are in clock ticks. */
export type ProcessStat = {
  pid: number
  state: string
  parent: number
  group: number
  user: number
  system: number
  /** User and system time of children that have ended. */
  endedChildren: number
}

export function findProcess(pid: number): ProcessStat | undefined {
  const text = readOrNothing(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  // The name, in brackets, may have any character in it. The other fields are after it.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  const [parent, group, user, system, endedUser, endedSystem] = [1, 2, 11, 12, 13, 14].map((at) => Number(fields[at]))
  return {
    pid,
    state: fields[0]!,
    parent: parent!,
    group: group!,
    user: user!,
    system: system!,
    endedChildren: endedUser! + endedSystem!,
  }
}

export function listProcesses(): ProcessStat[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((name) => findProcess(Number(name)))
    .filter((found) => found !== undefined)
}

/** Whether a process of a group is still running. Zombies do not count. */
export function isGroupAlive(group: number): boolean {
  return listProcesses().some((found) => found.group === group && found.state !== 'Z')
}

/** A process may end between being listed and being read. */
function readOrNothing(path: string): string | undefined {
  try {
    return readFileSync(path, 'latin1')
  } catch {
    return undefined
  }
}
