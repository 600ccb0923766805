/** Returns a module that shifts the clock of a process by `aheadMs` from the start, and by `setMs` more from SIGUSR2 on. */
export function wrongClock(aheadMs: number, setMs: number): string {
  const code = `
    const { now } = Date
    let offMs = ${aheadMs}
    Date.now = () => now() + offMs
    Object.defineProperty(performance, 'timeOrigin', { value: performance.timeOrigin + offMs })
    process.on('SIGUSR2', () => { offMs += ${setMs} })`
  return `data:text/javascript,${encodeURIComponent(code)}`
}
