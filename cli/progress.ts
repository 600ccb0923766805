import { type Clock, systemClock } from '../src/base/clock.ts'

type Screen = { readonly isTTY?: boolean; write(text: string): unknown }

export type Progress = {
  /** Shows the number of finished items, their `share` of all, 0 to 1, if it is known, and how many were refused. */
  update(done: number, share?: number, refused?: number): void
  /** Removes the bar. */
  end(): void
}

const redrawMs = 100
const lineMs = 5_000
const barWidth = 30
/** The smallest share of which the time is measured. */
const knownShareMin = 0.01
/** From here on the time left is shown in minutes. */
const secondsShownMax = 120

/** Shows the progress of long work: a bar on a terminal, elsewhere a line every few seconds. `unit` is the word for the counted items. */
export function openProgress(unit: string, screen: Screen, clock: Pick<Clock, 'elapsed'> = systemClock()): Progress {
  const isTerminal = screen.isTTY === true
  const startMs = clock.elapsed()
  let shownMs = startMs
  let drawn = false
  let startShare: number | undefined
  return {
    update(done, share, refused = 0) {
      startShare ??= share
      const nowMs = clock.elapsed()
      if (nowMs - shownMs < (isTerminal ? redrawMs : lineMs)) return
      shownMs = nowMs
      const seconds = (nowMs - startMs || 1) / 1000
      const parts = [textOf(done, unit, seconds, share), leftOf(seconds, startShare, share)]
      if (refused > 0) parts.push(`${formatCount(refused)} refused`)
      const text = parts.filter((part) => part !== undefined).join(', ')
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

/** Returns the time left, when a part was read from which it can be guessed. A continued import reads its first part at once. */
function leftOf(seconds: number, startShare: number | undefined, share: number | undefined): string | undefined {
  if (share === undefined || startShare === undefined || share >= 1) return undefined
  const read = share - startShare
  if (read < knownShareMin) return undefined
  const left = Math.max(Math.round((seconds * (1 - share)) / read), 1)
  return left < secondsShownMax ? `${formatCount(left)} s left` : `${formatCount(Math.ceil(left / 60))} min left`
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
