/**
 * The two readings of time. Business time decides what the product does (stamps, schedules, windows). Elapsed time is the
 * machine's own and decides how long the machine waits (leases, deadlines, rate windows, sessions).
 */
export interface Clock {
  /** Business time, whole epoch milliseconds. A virtual clock does not move between calls. */
  now(): number
  /** A stamp, epoch microseconds: strictly increasing in this process, never before `now()`. */
  stamp(): number
  /** Machine time, epoch milliseconds with a fraction. It never goes back, and also runs while a virtual clock does not move. */
  elapsed(): number
}

/** The clock of a running service, which follows the clock of the database. */
export interface SettableClock extends Clock {
  /** Sets by how many milliseconds the database's time is ahead of this machine's. */
  setOffset(offsetMs: number): void
  /** Makes all further stamps later than this one, epoch microseconds, so that new rows are newer than those in the database. */
  continueAfter(stampUs: number): void
}

/** A clock whose business time changes only when it is moved. */
export interface VirtualClock extends SettableClock {
  readonly virtual: true
  /** Moves business time forward to `nowMs`. Throws a RangeError for an earlier instant. */
  moveTo(nowMs: number): void
  /** Sets business time to the last instant of an earlier process. Call it before the first stamp. */
  resumeAt(nowMs: number): void
}

/** Returns a clock whose business time is the machine's, plus the offset of the database. */
export function systemClock(): SettableClock {
  const machine = machineTime()
  return { ...machine, ...stamps(machine.now) }
}

/** Returns a clock that remains at `startMs`, the machine's time by default, until `moveTo`. */
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

/** Returns the kind of clock that the configuration asks for. */
export function createClock(kind: 'system' | 'virtual'): SettableClock {
  return kind === 'virtual' ? virtualClock() : systemClock()
}

export function isVirtual(clock: Clock): clock is VirtualClock {
  return 'virtual' in clock
}

/** A reading that took longer is too inaccurate. */
const readingMsMax = 1000
/** The number of readings. The first one may have waited for a connection, and any of them for this machine. */
const readings = 5

/**
 * Sets the clock's offset from another clock. `read` returns its epoch milliseconds. The fastest of several readings counts, so that
 * processes that follow the same clock differ as little as possible.
 */
export async function syncClock(clock: SettableClock, read: () => Promise<number>): Promise<void> {
  let fastestMs = readingMsMax
  let offsetMs: number | undefined
  for (let i = 0; i < readings; i++) {
    const askedMs = Date.now()
    const startMs = performance.now()
    const theirMs = await read()
    const tookMs = performance.now() - startMs
    if (tookMs >= fastestMs) continue
    fastestMs = tookMs
    offsetMs = theirMs - (askedMs + tookMs / 2)
  }
  if (offsetMs !== undefined) clock.setOffset(offsetMs)
}

/** A larger difference means that the machine slept. The monotonic timer stops then, so elapsed time follows the wall clock. */
const sleptMs = 1000

function machineTime() {
  let offsetMs = 0
  let originMs = performance.timeOrigin
  let lastMs = 0
  return {
    now: () => Date.now() + offsetMs,
    elapsed() {
      const sinceOriginMs = performance.now()
      const behindMs = Date.now() - (originMs + sinceOriginMs)
      if (behindMs > sleptMs) originMs += behindMs
      lastMs = Math.max(lastMs, originMs + sinceOriginMs + offsetMs)
      return lastMs
    },
    setOffset(ms: number) {
      offsetMs = Math.round(ms)
      // The offset is relative to the machine's clock, which may have been set meanwhile.
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
