/** The most bytes of all bodies that are read in one turn of the event loop. A larger body is read alone. */
const bytesPerTurn = 4096

/** Waits until a body of this many bytes may be read, in the order of the calls. Returns undefined when it may be read now. */
export type BodyPacing = (bytes: number) => Promise<void> | undefined

type Waiting = { bytes: number; read(): void }

/**
 * Spreads the reading of bodies over turns of the event loop. Bodies of many clients arrive together, and parsing all of them in one
 * turn would delay the answers of the database that have arrived meanwhile.
 */
export function openBodyPacing(): BodyPacing {
  const waiting: Waiting[] = []
  let left = bytesPerTurn
  let turning = false

  function take(bytes: number): void {
    left -= bytes
    if (turning) return
    turning = true
    setImmediate(turn)
  }

  function turn(): void {
    turning = false
    left = bytesPerTurn
    while (left > 0 && waiting.length > 0) {
      const { bytes, read } = waiting.shift()!
      take(bytes)
      read()
    }
  }

  return (bytes) => {
    if (left <= 0 || waiting.length > 0) return new Promise((read) => waiting.push({ bytes, read }))
    take(bytes)
    return undefined
  }
}
