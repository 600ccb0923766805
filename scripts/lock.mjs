// One installation at a time. The lock is a socket that its holder listens on: a killed holder stops listening, so nobody
// has to guess whether a process number is still the same process.
import { createHash } from 'node:crypto'
import { renameSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

// The shortest of the systems' limits is 103 bytes (macOS).
const addressBytesMax = 100
const pauseMs = 100

/** Runs `work` while holding the lock of `folder`; waits for whoever has it, and says so once. */
export async function holdLock(folder, work, say) {
  const address = addressOf(folder)
  let waited = false
  const onWait = () => {
    if (!waited) say('Another process is installing here: waiting for it.')
    waited = true
  }
  let refused
  for (;;) {
    const server = await listen(address)
    if (server) {
      // npm is handed the socket too: should this process be killed, the lock stays taken until npm is done as well.
      const inherited = process.platform === 'win32' ? [] : [server._handle.fd]
      try {
        return await work({ inherited })
      } finally {
        server.close()
      }
    }
    const stale = await holderLeaves(address, onWait)
    // A socket that was made but does not listen yet refuses as well: only who refuses twice is gone.
    if (stale && stale === refused) removeStale(address, stale)
    else if (stale) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    refused = stale
  }
}

function addressOf(folder) {
  const name = `easel-${createHash('sha256').update(`${process.getuid?.()} ${folder}`).digest('hex').slice(0, 16)}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  const address = join(tmpdir(), name)
  return Buffer.byteLength(address) > addressBytesMax ? join('/tmp', name) : address
}

function listen(address) {
  return new Promise((resolve, reject) => {
    const server = createServer((waiting) => waiting.on('error', () => {}).unref()).unref()
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen(address, () => resolve(server))
  })
}

/** Waits until the holder is gone; answers the identity of the socket when nobody listened at it. */
function holderLeaves(address, onWait) {
  const seen = identityOf(address)
  return new Promise((resolve) => {
    const socket = connect(address, onWait)
    socket.on('close', () => resolve())
    socket.on('error', (error) => error.code === 'ECONNREFUSED' && resolve(seen))
  })
}

// The number of a file alone is no identity: the next file gets it as soon as this one is gone.
function identityOf(path) {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stats && `${stats.ino} ${stats.mtimeNs}`
}

// Several may find the stale socket, and one of them may listen already. Renaming is atomic: who moved what is not the
// stale one puts it back.
function removeStale(address, stale) {
  if (identityOf(address) !== stale) return
  const aside = `${address}.${process.pid}`
  try {
    renameSync(address, aside)
  } catch {
    return
  }
  if (identityOf(aside) === stale) rmSync(aside)
  else renameSync(aside, address)
}
