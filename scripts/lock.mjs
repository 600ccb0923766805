// Allows one installation at a time. The lock is a socket on which its holder listens. A killed holder stops listening, which is more
// reliable than a process id in a file.
import { createHash } from 'node:crypto'
import { existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const pauseMs = 100

/** Runs `work` with the lock of `folder`. Waits while another process has it, and says so once. */
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
      // npm inherits the socket: if this process is killed, the lock is held until npm has ended too.
      const inherited = process.platform === 'win32' ? [] : [server._handle.fd]
      try {
        return await work({ inherited })
      } finally {
        server.close()
        // Those that wait see that the lock is free, also when this process goes on.
        for (const waiting of server.waiting) waiting.destroy()
      }
    }
    const stale = await holderLeaves(address, onWait)
    // A socket that was created but does not listen yet refuses too. Only one that refuses twice is stale.
    if (stale && stale === refused) removeStale(address, stale)
    else if (stale) await new Promise((resolve) => setTimeout(resolve, pauseMs))
    refused = stale
  }
}

function addressOf(folder) {
  const name = `easel-${createHash('sha256').update(`${process.getuid?.()} ${folder}`).digest('hex').slice(0, 16)}`
  if (process.platform === 'win32') return `\\\\.\\pipe\\${name}`
  // Not the folder of TMPDIR: two processes with different ones must find the same lock.
  return join(existsSync('/tmp') ? '/tmp' : tmpdir(), name)
}

function listen(address) {
  return new Promise((resolve, reject) => {
    const waiting = new Set()
    const server = createServer((socket) => {
      waiting.add(socket.on('error', () => {}).unref())
      socket.on('close', () => waiting.delete(socket))
    }).unref()
    server.waiting = waiting
    server.once('error', (error) => (error.code === 'EADDRINUSE' ? resolve(undefined) : reject(error)))
    server.listen(address, () => resolve(server))
  })
}

/** Waits until the holder has ended. Resolves to the identity of the socket if no process listened on it. */
function holderLeaves(address, onWait) {
  const seen = identityOf(address)
  return new Promise((resolve) => {
    const socket = connect(address, onWait)
    socket.on('close', () => resolve())
    socket.on('error', (error) => error.code === 'ECONNREFUSED' && resolve(seen))
  })
}

// The inode alone is no identity: the next file can get it as soon as this one is removed.
function identityOf(path) {
  const stats = statSync(path, { throwIfNoEntry: false, bigint: true })
  return stats && `${stats.ino} ${stats.mtimeNs}`
}

// Several processes may find the stale socket, and one of them may listen already. Renaming is atomic: a process that has moved
// another socket than the stale one moves it back.
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
