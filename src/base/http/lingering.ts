import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { openShares } from '../work/shares.ts'
import { sourceOf } from './caller-ip.ts'

/** Bytes that are read and discarded after an answer that ends its connection. */
export const lingerBytesMax = 67_108_864
/** How long such a connection stays open, and how long without a byte. */
export const lingerMsMax = 30_000
export const lingerIdleMs = 5_000
/** Such connections at a time. One address alone has at most half of them. */
export const lingeringMax = 256
/** The time between two looks at a connection. */
export const lookMs = 250

/** Ends connections of refused requests. */
export type Lingering = {
  /**
   * Call it before an answer that ends its connection. If the request is still arriving then, the connection is ended in one direction
   * only, and what arrives is discarded until the request or the client ends, or a limit is reached. A connection that is closed while
   * bytes arrive would be reset, and the client could lose its answer.
   */
  keepOpen(message: IncomingMessage, ip: string): void
}

export function openLingering(): Lingering {
  const shares = openShares(lingeringMax)
  return {
    keepOpen(message, ip) {
      const { socket } = message
      if (message.complete || socket.destroyed) return
      const source = sourceOf(ip)
      const release = () => shares.add(source, -1)
      if (!shares.add(source, 1)) {
        release()
        return
      }
      socket.once('close', release)
      // Node calls it when the answer is written.
      socket.destroySoon = () => {
        socket.destroySoon = () => undefined
        socket.end(() => {
          if (message.complete) socket.destroy()
          else message.once('end', () => socket.destroy())
        })
        discard(socket)
      }
    },
  }
}

/** Ends a connection that reaches a limit. Node goes on reading it, for the request. */
function discard(socket: Socket): void {
  const begun = socket.bytesRead
  let [read, passedMs, idleMs] = [begun, 0, 0]
  const timer = setInterval(() => {
    passedMs += lookMs
    idleMs = socket.bytesRead === read ? idleMs + lookMs : 0
    read = socket.bytesRead
    if (read - begun > lingerBytesMax || passedMs >= lingerMsMax || idleMs >= lingerIdleMs) socket.destroy()
  }, lookMs)
  socket.once('close', () => clearInterval(timer))
}
