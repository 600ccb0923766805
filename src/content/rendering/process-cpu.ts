import { readFileSync } from 'node:fs'

/** What Linux counts CPU time in, for every program. */
const ticksPerSecond = 100

/** Returns the CPU time that a process has used, in milliseconds; undefined where the system does not say it, or the process has ended. */
export function cpuMsOf(pid: number | undefined): number | undefined {
  if (pid === undefined || process.platform !== 'linux') return undefined
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name of the program is in brackets and may have blanks. User and system time are the 14th and 15th field.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
  } catch {
    // It has ended.
    return undefined
  }
}
