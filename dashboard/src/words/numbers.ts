const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })
const exact = new Intl.NumberFormat('en', { maximumFractionDigits: 20, useGrouping: true })

/** A count with its digits grouped. `0` is zero; nothing is `-`. */
export function formatCount(count: number | null | undefined): string {
  return count === null || count === undefined ? '-' : grouped.format(count)
}

/** A count that is an estimate. */
export function formatEstimate(count: number): string {
  return `~${grouped.format(count)}`
}

/** A count that is an estimate where it may be off: `~41,200 ± 3,100`. */
export function formatCounted({ count, error }: { readonly count: number; readonly error: number }): string {
  return error === 0 ? grouped.format(count) : `${formatEstimate(count)} ± ${grouped.format(error)}`
}

/** A number as it was sent, with its digits grouped. */
export function formatNumber(value: number): string {
  return exact.format(value)
}

const oneDecimal = new Intl.NumberFormat('en', { minimumFractionDigits: 1, maximumFractionDigits: 1 })

/** A percentage as it stands in a flow: `50%`, `12.5%`. */
export function formatPercent(percentage: number): string {
  return `${exact.format(percentage)}%`
}

/** A share from 0 to 1 in percent, with one decimal. `-` for none. */
export function formatRate(rate: number | null): string {
  return rate === null ? '-' : `${oneDecimal.format(rate * 100)}%`
}

/** A part of a whole in percent, with one decimal. `-` when there is no whole. */
export function formatShare(part: number, whole: number): string {
  return formatRate(whole === 0 ? null : part / whole)
}

const kilo = 1024

/** A number of bytes in the unit that fits. */
export function formatBytes(bytes: number): string {
  if (bytes < kilo) return `${grouped.format(bytes)} B`
  if (bytes < kilo * kilo) return `${grouped.format(bytes / kilo)} kB`
  return `${new Intl.NumberFormat('en', { maximumFractionDigits: 1 }).format(bytes / kilo / kilo)} MB`
}
