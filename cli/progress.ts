import { type Clock, systemClock } from '../src/base/clock.ts'

type Screen = { readonly isTTY?: boolean; write(text: string): unknown }

export type Progress = {
  /** Shows the number of finished items and their `share` of all, 0 to 1, if it is known. */
  update(done: number, share?: number): void
  /** Removes the bar. */
  end(): void
}

const redrawMs = 100
const lineMs = 5_000
const barWidth = 30

/** Shows the progress of long work: a bar on a terminal, elsewhere a line every few seconds. `unit` is the word for the counted items. */
export function openProgress(unit: string, screen: Screen, clock: Pick<Clock, 'elapsed'> = systemClock()): Progress {
  const isTerminal = screen.isTTY === true
  const startMs = clock.elapsed()
  let shownMs = startMs
  let drawn = false
  return {
    update(done, share) {
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
  const percent = share === undefined ? '' : `, ${Math.floor(share * 100)}%`
  return `${formatCount(done)} ${unit}, ${formatCount(Math.round(done / seconds))} a second${percent}`
}

function barOf(share: number | undefined): string {
  if (share === undefined) return ''
  const full = Math.floor(Math.min(share, 1) * barWidth)
  return `[${'#'.repeat(full)}${'.'.repeat(barWidth - full)}] `
}

const mib = 1_048_576

/** Returns bytes as whole megabytes, rounded up: `1,024 MB`. */
export function formatMegabytes(bytes: number): string {
  return `${formatCount(Math.ceil(bytes / mib))} MB`
}

/** Shows the progress of reading bytes. */
export function openByteProgress(screen: Screen): { onProgress(done: number, total: number): void; end(): void } {
  const { update, end } = openProgress('MB', screen)
  return { onProgress: (done, total) => update(Math.floor(done / mib), total === 0 ? undefined : done / total), end }
}

/** Returns a count as `12,345`. */
export function formatCount(count: number): string {
  return count.toLocaleString('en')
}
