import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The kernel takes 107 bytes of path for a socket, some systems 103. */
const SOCKET_PATH_BYTES_MAX = 100
/** How long to wait for a later process to withdraw. */
const WITHDRAWAL_MS = 1_500
const CHECK_EVERY_MS = 50
const NAME = /^lock-(\d{8})-[0-9a-f]{16}$/

export type FolderLock = { release(): Promise<void> }

/** Another process uses the data directory, most likely a running server. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(`${folder} is in use by another process: stop that one, or set EASEL_DATA to another directory`)
    this.name = 'FolderInUse'
  }
}

/**
 * Makes this process the only one that uses a data directory. Throws FolderInUse when another one does. The lock is a socket on
 * which its holder listens. The kernel closes it when the process ends, however it ends, so a socket that refuses connections is stale.
 *
 * Each process creates a socket of its own, under a name that is never used again, and then connects to all others. Of two processes
 * that start at once, at least one sees the other, and the one with the later name withdraws. Stale sockets can be removed safely.
 */
export async function lockFolder(directory: string): Promise<FolderLock> {
  const folder = resolve(directory)
  mkdirSync(folder, { recursive: true })
  if (process.platform === 'win32') return lockByPipe(folder)
  const short = shortPathTo(folder)
  try {
    return await lockBySocket(folder, short.path)
  } finally {
    short.remove()
  }
}

/** Whether another process uses a data directory at this moment. */
export async function isInUse(directory: string): Promise<boolean> {
  const folder = resolve(directory)
  if (process.platform === 'win32' || !existsSync(folder)) return false
  const short = shortPathTo(folder)
  try {
    return (await listRivals(folder, short.path, '')).length > 0
  } finally {
    short.remove()
  }
}

/** `shortPath` leads to the folder too. */
async function lockBySocket(folder: string, shortPath: string): Promise<FolderLock> {
  const name = nextName(folder)
  const draft = `.${name}`
  const server = await listen(join(shortPath, draft))
  // It gets its final name when it listens. Otherwise other processes would treat it as stale.
  renameSync(join(folder, draft), join(folder, name))
  const release = async () => {
    rmSync(join(folder, name), { force: true })
    await new Promise((resolve) => server.close(resolve))
  }
  if (await isAlone(folder, shortPath, name)) return { release }
  await release()
  throw new FolderInUse(folder)
}

async function isAlone(folder: string, shortPath: string, own: string): Promise<boolean> {
  for (let waitedMs = 0; ; waitedMs += CHECK_EVERY_MS) {
    const rivals = await listRivals(folder, shortPath, own)
    if (rivals.length === 0) return true
    if (rivals.some((rival) => rival < own) || waitedMs >= WITHDRAWAL_MS) return false
    await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS))
  }
}

/** Returns a name later than all present ones, so that a process that starts later withdraws. */
function nextName(folder: string): string {
  const tickets = readdirSync(folder).map((name) => Number(NAME.exec(name)?.[1] ?? 0))
  const ticket = String(Math.max(0, ...tickets) + 1).padStart(8, '0')
  return `lock-${ticket}-${randomBytes(8).toString('hex')}`
}

async function listRivals(folder: string, shortPath: string, own: string): Promise<string[]> {
  const rivals: string[] = []
  for (const name of readdirSync(folder)) {
    if (!NAME.test(name) || name === own) continue
    if (await isListening(join(shortPath, name))) rivals.push(name)
    else rmSync(join(folder, name), { force: true })
  }
  return rivals
}

/** Only a refused connection proves that no process listens. For any other error, assume that a process listens. */
function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ path })
    socket.once('connect', () => resolve(true))
    socket.once('error', ({ code }: NodeJS.ErrnoException) => resolve(code !== 'ECONNREFUSED' && code !== 'ENOENT'))
    socket.once('connect', () => socket.destroy())
  })
}

function listen(path: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy()).unref()
    server.once('error', reject)
    server.listen(path, () => resolve(server))
  })
}

/** Returns a path to the folder that is short enough for a socket: a symbolic link, if its own path is too long. */
function shortPathTo(folder: string): { path: string; remove(): void } {
  const longest = join(folder, `.lock-00000000-${'0'.repeat(16)}`)
  if (Buffer.byteLength(longest) <= SOCKET_PATH_BYTES_MAX) return { path: folder, remove() {} }
  const own = mkdtempSync(join(tmpdir(), 'easel-link-'))
  symlinkSync(folder, join(own, 'data'))
  return { path: join(own, 'data'), remove: () => rmSync(own, { recursive: true }) }
}

/** On Windows: a named pipe ends with its process, so the name itself is the lock. */
async function lockByPipe(folder: string): Promise<FolderLock> {
  const server = await listen(`\\\\.\\pipe\\easel-${createHash('sha256').update(folder).digest('hex')}`).catch(() => {
    throw new FolderInUse(folder)
  })
  return { release: () => new Promise((resolve) => server.close(() => resolve())) }
}
