/** The characters of GSM 03.38 that take one unit. */
const basic = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
)
/** Those that take two: an escape and the character. */
const extended = new Set('\f^{}\\[~]|€')

/** Units of a text in one segment, and of each segment of a longer text: the rest has the header that joins the segments. */
const unitsOf = { 'GSM-7': { alone: 160, joined: 153 }, 'UCS-2': { alone: 70, joined: 67 } } as const

/** How a text is sent: each segment is paid for as one text message. */
export type Segments = {
  readonly encoding: keyof typeof unitsOf
  readonly segments: number
  /** Units of the whole text: characters of GSM-7, where some count twice, or of UCS-2. */
  readonly units: number
  /** Units that fit into the last segment in addition. */
  readonly units_left: number
}

/** Returns how a text is divided into segments. A character that takes two units is not divided. Pure. */
export function segmentsOf(text: string): Segments {
  const characters = [...text]
  const isGsm = characters.every((one) => basic.has(one) || extended.has(one))
  const encoding = isGsm ? 'GSM-7' : 'UCS-2'
  const widthOf = (one: string) => (isGsm ? (extended.has(one) ? 2 : 1) : one.length)
  const units = characters.reduce((sum, one) => sum + widthOf(one), 0)
  const { alone, joined } = unitsOf[encoding]
  if (units <= alone) return { encoding, segments: 1, units, units_left: alone - units }
  let segments = 1
  let used = 0
  for (const one of characters) {
    const width = widthOf(one)
    if (used + width > joined) {
      segments++
      used = 0
    }
    used += width
  }
  return { encoding, segments, units, units_left: joined - used }
}
