import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** A folder on its own small disk, which can be filled and emptied. */
export type SmallDisk = Disposable & {
  /** Writes until nothing more fits. */
  fill(): void
  /** Frees the space that `fill` took. */
  empty(): void
}

const fillerPieceBytes = 1_048_576

/** Returns why no small disk can be made here; undefined when one can. */
export function smallDiskMissing(): string | undefined {
  if (process.platform !== 'linux') return 'a small disk is a tmpfs, which only Linux has'
  if (process.getuid?.() !== 0) return 'a small disk needs root, which may mount a tmpfs'
  const probe = join(import.meta.dirname, '..')
  const { status, stderr } = spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', probe], {
    encoding: 'utf8',
  })
  return status === 0 ? undefined : `a small disk cannot be mounted: ${stderr}`
}

/** Moves an existing folder, which must not be in use, to a disk of this many bytes. Its content is lost with the disk. */
export function toSmallDisk(folder: string, bytes: number): SmallDisk {
  const { uid, gid } = statSync(folder)
  const before = `${folder}.before`
  const filler = join(folder, 'filler')
  renameSync(folder, before)
  mkdirSync(folder)
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes},uid=${uid},gid=${gid},mode=0700`, 'tmpfs', folder])
  execFileSync('cp', ['-a', `${before}/.`, folder])
  return {
    fill: () => fillUp(filler),
    empty: () => rmSync(filler, { force: true }),
    [Symbol.dispose]() {
      execFileSync('umount', ['--lazy', folder])
    },
  }
}

function fillUp(path: string): void {
  for (let pieceBytes = fillerPieceBytes; pieceBytes >= 1; pieceBytes >>= 1) {
    const piece = Buffer.alloc(pieceBytes)
    while (appended(path, piece));
  }
}

function appended(path: string, piece: Buffer): boolean {
  try {
    appendFileSync(path, piece)
    return true
  } catch {
    return false
  }
}

/** Mounts an empty disk that cannot be written on a folder. */
export function readOnlyDisk(folder: string): Disposable {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro,size=1048576', 'tmpfs', folder])
  return { [Symbol.dispose]: () => void execFileSync('umount', ['--lazy', folder]) }
}
