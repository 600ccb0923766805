import { readdirSync, readFileSync } from 'node:fs'
import { findProcess, listProcesses } from './processes.ts'

// /proc counts in ticks, which are always 10 ms for programs outside the kernel.
const usPerTick = 10_000

/** CPU microseconds so far of the service, of its database and of the machine. */
export type CpuReading = { nodeUs: number; databaseUs: number; machineUs: number }

/** Without a `postmaster` the database runs inside the service. */
export function readCpu(pid: number, postmaster?: number): CpuReading {
  return {
    nodeUs: processUs(pid),
    databaseUs: postmaster === undefined ? 0 : clusterUs(postmaster),
    machineUs: machineUs(),
  }
}

export function cpuBetween(before: CpuReading, after: CpuReading): CpuReading {
  return {
    nodeUs: after.nodeUs - before.nodeUs,
    databaseUs: after.databaseUs - before.databaseUs,
    machineUs: after.machineUs - before.machineUs,
  }
}

/** Returns the CPU time of a process with all its threads. */
export function processUs(pid: number): number {
  const { user, system } = get(pid)
  return (user + system) * usPerTick
}

/** Returns the CPU time of the postmaster and all its children, ended ones included. */
export function clusterUs(postmaster: number): number {
  const { user, system, endedChildren } = get(postmaster)
  const children = listProcesses().filter((found) => found.parent === postmaster)
  const ticks = children.reduce((sum, child) => sum + child.user + child.system, user + system + endedChildren)
  return ticks * usPerTick
}

/** Returns the CPU time of a process and of its children that run, as the scheduler counts it. */
export function familyUs(pid: number): number {
  return familyPids(pid).reduce((sum, each) => sum + (exactUs(each) ?? 0), 0)
}

/**
 * Returns the CPU time of the running threads of a process as the scheduler counts it; undefined when it has ended. Ticks are too coarse
 * for a process at rest: timers wake it when a tick comes, which then counts as a whole.
 */
export function exactUs(pid: number): number | undefined {
  try {
    const ns = readdirSync(`/proc/${pid}/task`).map((thread) =>
      Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'latin1').split(' ', 1)[0]),
    )
    return ns.reduce((sum, each) => sum + each, 0) / 1_000
  } catch {
    return undefined
  }
}

/** Returns a process, such as the postmaster of a cluster, and its children. */
export function familyPids(parent: number): number[] {
  const children = listProcesses().filter((found) => found.parent === parent)
  return [parent, ...children.map(({ pid }) => pid)]
}

function get(pid: number) {
  const found = findProcess(pid)
  if (!found) throw new Error(`process ${pid} has ended`)
  return found
}

function machineUs(): number {
  const line = readFileSync('/proc/stat', 'latin1').split('\n', 1)[0]!
  const [user, nice, system, , , irq, softirq] = line.split(/\s+/).slice(1).map(Number)
  return (user! + nice! + system! + irq! + softirq!) * usPerTick
}
