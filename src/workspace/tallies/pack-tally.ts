import type { Tally } from './tally.ts'

/** What a transaction adds to tallies: each subject and part once, and the rows that name them by their positions. */
export type PackedTally = {
  readonly subjects: readonly string[]
  readonly parts: readonly string[]
  /**
   * For each row numbers of seven bits a byte, the lowest first: the position of the subject; the position of the part, doubled, plus one
   * when there is an amount; the slot less that of the row before; the count. The last two are doubled, and below zero `-2n - 1`. Then
   * the amount if there is one, a double in little-endian order.
   */
  readonly entries: Buffer
}

/** The most bytes of a row: numbers of 32 and 53 bits take 5 and 8 bytes. */
const rowBytesMax = 5 + 5 + 8 + 8 + 8
const amountBytes = 8

/** Packs rows into few bytes: a busy process writes a hundred thousand in a second, most of them a count of 1. */
export function packTally({ subjects, parts, columns }: Tally): PackedTally {
  const { subject, part, slot, count, amount } = columns
  const bytes = Buffer.allocUnsafeSlow(subject.length * rowBytesMax)
  let at = 0
  let before = 0
  for (let i = 0; i < subject.length; i++) {
    const hasAmount = amount[i] !== 0
    at = writeNumber(bytes, at, subject[i]!)
    at = writeNumber(bytes, at, part[i]! * 2 + (hasAmount ? 1 : 0))
    at = writeNumber(bytes, at, zigzag(slot[i]! - before))
    at = writeNumber(bytes, at, zigzag(count[i]!))
    if (hasAmount) at = bytes.writeDoubleLE(amount[i]!, at)
    before = slot[i]!
  }
  return { subjects, parts, entries: bytes.subarray(0, at) }
}

/** Calls `visit` for each row; the subject and the part are positions. */
export function unpackTally(
  { entries }: Pick<PackedTally, 'entries'>,
  visit: (subject: number, part: number, slot: number, count: number, amount: number) => void,
): void {
  let at = 0
  function readNumber(): number {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = entries[at++]!
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
  }
  let slot = 0
  while (at < entries.length) {
    const subject = readNumber()
    const part = readNumber()
    slot += unzigzag(readNumber())
    const count = unzigzag(readNumber())
    const hasAmount = part % 2 === 1
    visit(subject, (part - (hasAmount ? 1 : 0)) / 2, slot, count, hasAmount ? entries.readDoubleLE(at) : 0)
    if (hasAmount) at += amountBytes
  }
}

function writeNumber(bytes: Buffer, from: number, value: number): number {
  let [at, rest] = [from, value]
  while (rest >= 128) {
    bytes[at++] = (rest % 128) + 128
    rest = Math.floor(rest / 128)
  }
  bytes[at++] = rest
  return at
}

/** Makes a number at least 0, small ones below 0 too. */
function zigzag(value: number): number {
  return value < 0 ? -2 * value - 1 : 2 * value
}

function unzigzag(value: number): number {
  return value % 2 === 1 ? -(value + 1) / 2 : value / 2
}
