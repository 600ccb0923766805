import { fdatasyncSync } from 'node:fs'
import { MemoryFS, PGlite } from '@electric-sql/pglite'
import { NodeFS } from '@electric-sql/pglite/nodefs'
import type { ArchiveEntry } from './archive.ts'

type Options = Parameters<MemoryFS['init']>[1]
/** The part of the engine's file system that is used here; the package does not describe it. */
type FileStream = { nfd?: number }
type Module = {
  FS: {
    mkdirTree(path: string): void
    mkdir(path: string): void
    writeFile(path: string, bytes: Uint8Array, options: { canOwn: boolean }): void
    readFile(path: string): Uint8Array
    readdir(path: string): string[]
    stat(path: string): { mode: number }
    isDir(mode: number): boolean
  }
  NODEFS: { stream_ops: { fsync?: (stream: FileStream) => number } }
}

const ROOT = PGlite.paths.PGDATA

/** A database on disk with a real fsync: PGlite 0.5.16 calls `stream_ops.fsync`, but does not implement it. */
export class DiskFiles extends NodeFS {
  /** Calls that reached the disk. */
  syncs = 0
  readonly #onFailure: (error: unknown) => void

  /** `onFailure` is called when an fsync fails: writes since the last fsync may be lost, so the engine must not continue. */
  constructor(directory: string, onFailure: (error: unknown) => void) {
    super(directory)
    this.#onFailure = onFailure
  }

  override async init(engine: PGlite, options: Options) {
    const { emscriptenOpts } = await super.init(engine, options)
    return beforeRun(emscriptenOpts, ({ NODEFS }) => {
      NODEFS.stream_ops.fsync = ({ nfd }) => this.#sync(nfd)
    })
  }

  #sync(fd: number | undefined): number {
    if (fd === undefined) return 0
    try {
      fdatasyncSync(fd)
      this.syncs++
    } catch (error) {
      // The engine would swallow the error. A failed sync ends the process.
      // The engine calls this function and would swallow the error.
      this.#onFailure(error)
    }
    return 0
  }
}

/** A database in memory that starts from a template. `onClose` gets its files after the shutdown. */
export class MemoryFiles extends MemoryFS {
  readonly #template: readonly ArchiveEntry[]
  readonly #onClose: ((entries: ArchiveEntry[]) => void) | undefined

  constructor(template: readonly ArchiveEntry[], onClose?: (entries: ArchiveEntry[]) => void) {
    super()
    this.#template = template
    this.#onClose = onClose
  }

  override async init(engine: PGlite, options: Options) {
    const { emscriptenOpts } = await super.init(engine, options)
    return beforeRun(emscriptenOpts, ({ FS }) => {
      if (this.#template.length > 0) FS.mkdirTree(ROOT)
      for (const { path, bytes } of this.#template) {
        if (bytes) FS.writeFile(`${ROOT}/${path}`, bytes.slice(), { canOwn: true })
        else FS.mkdir(`${ROOT}/${path}`)
      }
    })
  }

  override async closeFs() {
    this.#onClose?.(listFiles((this.pg as PGlite).Module as unknown as Module, ''))
    await super.closeFs()
  }
}

function listFiles({ FS }: Module, folder: string): ArchiveEntry[] {
  const names = FS.readdir(`${ROOT}/${folder}`).filter((name) => name !== '.' && name !== '..')
  return names.flatMap((name) => {
    const path = folder === '' ? name : `${folder}/${name}`
    const isFolder = FS.isDir(FS.stat(`${ROOT}/${path}`).mode)
    return isFolder
      ? [{ path }, ...listFiles({ FS } as Module, path)]
      : [{ path, bytes: FS.readFile(`${ROOT}/${path}`) }]
  })
}

function beforeRun(options: Options, act: (module: Module) => void): { emscriptenOpts: Options } {
  const preRun = [...((options.preRun as []) ?? []), act]
  return { emscriptenOpts: { ...options, preRun } as Options }
}
