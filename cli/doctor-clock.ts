import easel from '../package.json' with { type: 'json' }
import { systemClock } from '../src/base/clock.ts'
import type { Config } from '../src/base/config.ts'
import { askAdmin } from './ask-admin.ts'
import { openClient, originIn } from './client.ts'
import { type Finding, finding } from './finding.ts'

/** More than this between two clocks is a finding. */
const driftMsMax = 1000
/** An HTTP date has whole seconds, cut. */
const dateStepMs = 1000
const answerMsMax = 3000
const remedy = 'synchronise both machines by NTP: times of events, signatures and links depend on it'

/** What a running server says without being asked for more: its time, and with the admin token its version. */
export type SeenServer = { readonly origin: string; readonly findings: readonly Finding[] }

/** Judges how far another clock is ahead of this machine's. Pure. */
export function judgeDrift(other: string, driftMs: number, stepMs = 0): Finding {
  const seconds = (Math.abs(driftMs) / 1000).toFixed(1)
  const isRight = driftMs >= -driftMsMax - stepMs && driftMs <= driftMsMax
  const text = isRight ? `agrees with ${other}` : `${other} is ${seconds} s ${driftMs < 0 ? 'behind' : 'ahead'}`
  return finding('Clock', isRight, text, remedy)
}

/** Says that the clock is virtual; nothing for the system clock, which is compared with others. */
export function findClock({ clock }: Pick<Config, 'clock'>): Finding[] {
  if (clock === 'system') return []
  return [{ subject: 'Clock', ok: true, text: 'virtual: it stands until POST /admin/clock moves it' }]
}

/** Measures how far a clock is ahead: the reading is compared with the middle of the time that it took. */
export async function driftOf(read: () => Promise<number>): Promise<number> {
  const clock = systemClock()
  const beforeMs = clock.elapsed()
  const otherMs = await read()
  return otherMs - (beforeMs + clock.elapsed()) / 2
}

/** Looks for a running server at `HOST` and `PORT`. Returns undefined when none answers. */
export async function findServer(config: Config): Promise<SeenServer | undefined> {
  const origin = originIn(config)
  let date: string | null = null
  let driftMs: number
  try {
    driftMs = await driftOf(async () => {
      const answer = await fetch(`${origin}/health`, { signal: AbortSignal.timeout(answerMsMax) })
      date = answer.headers.get('date')
      return Date.parse(date ?? '')
    })
  } catch {
    // No server runs, which is no mistake.
    return undefined
  }
  const findings = [
    ...(date === null || Number.isNaN(driftMs) ? [] : [judgeDrift(`the server at ${origin}`, driftMs, dateStepMs)]),
    ...(config.adminToken === undefined ? [] : [await versionOf(origin, config.adminToken)]),
  ]
  return { origin, findings }
}

async function versionOf(origin: string, adminToken: string): Promise<Finding> {
  const subject = 'Server'
  try {
    const { version } = await askAdmin(openClient(origin, adminToken, 0), 'GET', '/admin/about')
    const text = `Easel ${String(version)} runs at ${origin}`
    const isSame = version === easel.version
    return finding(subject, isSame, text, `these files are Easel ${easel.version}: restart the server to run them`)
  } catch (error) {
    // A token that the server refuses is a finding.
    return finding(
      subject,
      false,
      `${origin}: ${(error as Error).message}`,
      'give the commands the token of that server',
    )
  }
}
