import { type Clock, systemClock } from '../src/base/clock.ts'

/** Where it is shown. */
type Screen = { readonly isTTY?: boolean; write(text: string): unknown }

export type Progress = {
  /** So much is done; `share` of the whole, 0 to 1, where that is known. */
  at(done: number, share?: number): void
  /** Takes the bar away. */
  end(): void
}

const redrawMs = 100
const lineMs = 5_000
const barWidth = 30

/** Shows how long work goes on: a bar on a terminal, elsewhere a line every few seconds. `unit` is what is counted. */
export function openProgress(unit: string, screen: Screen, clock: Pick<Clock, 'elapsed'> = systemClock()): Progress {
  const isTerminal = screen.isTTY === true
  const startMs = clock.elapsed()
  let shownMs = startMs
  let drawn = false
  return {
    at(done, share) {
      const nowMs = clock.elapsed()
      if (nowMs - shownMs < (isTerminal ? redrawMs : lineMs)) return
      shownMs = nowMs
      const text = textOf(done, unit, (nowMs - startMs || 1) / 1000, share)
      screen.write(isTerminal ? `\r${barOf(share)}${text}\u001b[K` : `${text}\n`)
      drawn = isTerminal
    },
    end() {
      if (drawn) screen.write('\r\u001b[K')
    },
  }
}

function textOf(done: number, unit: string, seconds: number, share: number | undefined): string {
  const percent = share === undefined ? '' : `, ${Math.floor(share * 100)} %`
  return `${written(done)} ${unit}, ${written(Math.round(done / seconds))} a second${percent}`
}

function barOf(share: number | undefined): string {
  if (share === undefined) return ''
  const full = Math.floor(Math.min(share, 1) * barWidth)
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] `
}

/** `12,345`. */
export function written(count: number): string {
  return count.toLocaleString('en')
}
