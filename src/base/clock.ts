/**
 * The two readings of time. Business time decides what the product does (stamps, schedules, windows); elapsed time is the
 * machine's own and decides how long the machine waits (leases, deadlines, rate windows, sessions).
 */
export interface Clock {
  /** Business time, whole epoch milliseconds. Stands still between calls when the clock is virtual. */
  now(): number
  /** A stamp, epoch microseconds, strictly increasing in this process, never behind `now()` at the moment of the call. */
  stamp(): number
  /** Machine time, epoch milliseconds with a fraction, monotonic: never goes back, runs on when the clock is virtual. */
  elapsed(): number
}

/** The clock of a running service: a `Clock` that follows the database's. */
export interface SettableClock extends Clock {
  /** Milliseconds by which the database's time is ahead of this machine's. */
  setOffset(offsetMs: number): void
  /** Stamps go on after this one, epoch microseconds: what comes is newer than what storage holds. */
  continueAfter(stampUs: number): void
}

/** Business time that stands until it is moved. */
export interface VirtualClock extends SettableClock {
  readonly virtual: true
  /** Moves business time forward to `nowMs`. Throws a RangeError for an earlier instant: a virtual clock never goes back. */
  moveTo(nowMs: number): void
  /** Stands where an earlier process left it; before anything is stamped. */
  resumeAt(nowMs: number): void
}

/** Business time is the machine's, plus the offset taken from the database. */
export function systemClock(): SettableClock {
  const machine = machineTime()
  return { ...machine, ...stamps(machine.now) }
}

/** A clock that stands at `startMs`, the machine's time by default, until `moveTo`. */
export function virtualClock(startMs = Date.now()): VirtualClock {
  const { elapsed, setOffset } = machineTime()
  let nowMs = startMs
  const now = () => nowMs
  return {
    virtual: true,
    now,
    elapsed,
    setOffset,
    ...stamps(now),
    moveTo(targetMs) {
      if (!(targetMs >= nowMs)) throw new RangeError('a virtual clock never goes back')
      nowMs = targetMs
    },
    resumeAt(leftMs) {
      nowMs = leftMs
    },
  }
}

/** The clock that the configuration names. */
export function createClock(kind: 'system' | 'virtual'): SettableClock {
  return kind === 'virtual' ? virtualClock() : systemClock()
}

export function isVirtual(clock: Clock): clock is VirtualClock {
  return 'virtual' in clock
}

/** An answer that took longer says too little about when it was given. */
const answerMs = 1000
/** The first answer may have waited for a connection, any of them for this machine. */
const questions = 5

/**
 * Takes the clock's offset from somebody else's time, `read` giving epoch milliseconds. Of several answers that which came soonest
 * counts: processes that follow the same clock should not differ by as much as one of their answers takes.
 */
export async function syncClock(clock: SettableClock, read: () => Promise<number>): Promise<void> {
  let soonestMs = answerMs
  let offsetMs: number | undefined
  for (let asked = 0; asked < questions; asked++) {
    const askedMs = Date.now()
    const startMs = performance.now()
    const theirMs = await read()
    const tookMs = performance.now() - startMs
    if (tookMs >= soonestMs) continue
    soonestMs = tookMs
    offsetMs = theirMs - (askedMs + tookMs / 2)
  }
  if (offsetMs !== undefined) clock.setOffset(offsetMs)
}

/** Above this difference the monotonic timer stood while the machine slept, and elapsed time follows the wall clock. */
const sleptMs = 1000

function machineTime() {
  let offsetMs = 0
  let originMs = performance.timeOrigin
  let lastMs = 0
  return {
    now: () => Date.now() + offsetMs,
    elapsed() {
      const behindMs = Date.now() - (originMs + performance.now())
      if (behindMs > sleptMs) originMs += behindMs
      lastMs = Math.max(lastMs, originMs + performance.now() + offsetMs)
      return lastMs
    },
    setOffset(ms: number) {
      offsetMs = Math.round(ms)
      // It was taken by the machine's clock, which somebody may have set meanwhile.
      originMs = Date.now() - performance.now()
    },
  }
}

function stamps(now: () => number) {
  let lastUs = 0
  return {
    stamp() {
      lastUs = Math.max(lastUs + 1, Math.ceil(now() * 1000))
      return lastUs
    },
    continueAfter(stampUs: number) {
      lastUs = Math.max(lastUs, stampUs)
    },
  }
}
