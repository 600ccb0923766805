import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Returns the most megabytes that a process and each of its children have taken so far. Undefined where the system does not tell. */
export function peakMemoryOf(pid: number): { own: number; children: number[] } | undefined {
  if (!existsSync('/proc/self/status')) return undefined
  const statuses = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        return [readFileSync(`/proc/${name}/status`, 'utf8')]
      } catch {
        // The process has ended meanwhile.
        return []
      }
    })
  const number = (status: string, field: string) => Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status)?.[1])
  const peaks = (field: string) =>
    statuses
      .filter((status) => number(status, field) === pid)
      .map((status) => Math.round(number(status, 'VmHWM') / 1024))
  return { own: peaks('Pid')[0] ?? Number.NaN, children: peaks('PPid') }
}
