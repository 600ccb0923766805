/** What bodies read in one turn of the event loop may hold together; a larger one is read alone. */
const bytesPerTurn = 4096

/** Waits until a body of so many bytes may be read; undefined when that is now. In the order in which they ask. */
export type BodyPacing = (bytes: number) => Promise<void> | undefined

type Waiting = { bytes: number; read(): void }

/**
 * Spreads bodies over turns of the event loop. Those of many clients arrive together, and to read and check them in one go
 * would keep the database waiting, whose answer came meanwhile.
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
