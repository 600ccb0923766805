import { createHash, randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The kernel takes 107 bytes of path for a socket, some systems 103. */
const SOCKET_PATH_BYTES_MAX = 100
/** How long a contender may keep another in doubt. */
const DOUBT_MS = 1_500
const LOOK_AGAIN_MS = 50
const NAME = /^lock-(\d{8})-[0-9a-f]{16}$/

export type FolderLock = { release(): Promise<void> }

/** Another process, most likely a running server, holds the data directory. */
export class FolderInUse extends Error {
  constructor(folder: string) {
    super(`${folder} is in use by another process: stop that one, or set EASEL_DATA to another directory`)
    this.name = 'FolderInUse'
  }
}

/**
 * Makes this process the only one that uses a data directory. The lock is a socket that its holder listens on: the kernel stops
 * listening when the process ends, however it ends, so a lock that nobody answers is void.
 *
 * Each process makes a socket of its own, under a name that never comes again, and then looks whether any other answers. Of two
 * that start at once at least one sees the other; the later name gives way. Void ones can be removed without harming anybody.
 */
export async function lockFolder(directory: string): Promise<FolderLock> {
  const folder = resolve(directory)
  mkdirSync(folder, { recursive: true })
  if (process.platform === 'win32') return lockByPipe(folder)
  const reach = shortWayTo(folder)
  try {
    return await lockBySocket(folder, reach.folder)
  } finally {
    reach.end()
  }
}

/** Whether another process holds a data directory just now; may be otherwise a moment later. */
export async function isInUse(directory: string): Promise<boolean> {
  const folder = resolve(directory)
  if (process.platform === 'win32' || !existsSync(folder)) return false
  const reach = shortWayTo(folder)
  try {
    return (await listRivals(folder, reach.folder, '')).length > 0
  } finally {
    reach.end()
  }
}

async function lockBySocket(folder: string, reach: string): Promise<FolderLock> {
  const name = nextName(folder)
  const draft = `.${name}`
  const server = await listen(join(reach, draft))
  // Only what already listens gets a name that others look at: otherwise they would take it for void.
  renameSync(join(folder, draft), join(folder, name))
  const release = async () => {
    rmSync(join(folder, name), { force: true })
    await new Promise((resolve) => server.close(resolve))
  }
  if (await isAlone(folder, reach, name)) return { release }
  await release()
  throw new FolderInUse(folder)
}

async function isAlone(folder: string, reach: string, own: string): Promise<boolean> {
  for (let doubtMs = 0; ; doubtMs += LOOK_AGAIN_MS) {
    const rivals = await listRivals(folder, reach, own)
    if (rivals.length === 0) return true
    if (rivals.some((rival) => rival < own) || doubtMs >= DOUBT_MS) return false
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
  }
}

/** Whoever comes later has a later name, so it gives way to a holder without any doubt. */
function nextName(folder: string): string {
  const tickets = readdirSync(folder).map((name) => Number(NAME.exec(name)?.[1] ?? 0))
  const ticket = String(Math.max(0, ...tickets) + 1).padStart(8, '0')
  return `lock-${ticket}-${randomBytes(8).toString('hex')}`
}

async function listRivals(folder: string, reach: string, own: string): Promise<string[]> {
  const rivals: string[] = []
  for (const name of readdirSync(folder)) {
    if (!NAME.test(name) || name === own) continue
    if (await answers(join(reach, name))) rivals.push(name)
    else rmSync(join(folder, name), { force: true })
  }
  return rivals
}

/** Only a refused connection proves that nobody is there; any other trouble counts as somebody. */
function answers(path: string): Promise<boolean> {
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

/** A long path is reached through a link with a short one. */
function shortWayTo(folder: string): { folder: string; end(): void } {
  const longest = join(folder, `.lock-00000000-${'0'.repeat(16)}`)
  if (Buffer.byteLength(longest) <= SOCKET_PATH_BYTES_MAX) return { folder, end() {} }
  const own = mkdtempSync(join(tmpdir(), 'easel-link-'))
  symlinkSync(folder, join(own, 'data'))
  return { folder: join(own, 'data'), end: () => rmSync(own, { recursive: true }) }
}

/** Named pipes vanish with their process, so the name itself is the lock. */
async function lockByPipe(folder: string): Promise<FolderLock> {
  const server = await listen(`\\\\.\\pipe\\easel-${createHash('sha256').update(folder).digest('hex')}`).catch(() => {
    throw new FolderInUse(folder)
  })
  return { release: () => new Promise((resolve) => server.close(() => resolve())) }
}
