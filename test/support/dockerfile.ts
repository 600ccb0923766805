import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, matchesGlob } from 'node:path'

const root = join(import.meta.dirname, '../..')

export type Instruction = { readonly name: string; readonly text: string }
export type Stage = { readonly from: string; readonly name: string; readonly instructions: readonly Instruction[] }

/** Reads the stages of the Dockerfile, and its arguments before the first stage. */
export function readDockerfile(): { readonly presets: ReadonlyMap<string, string>; readonly stages: readonly Stage[] } {
  const text = readFileSync(join(root, 'Dockerfile'), 'utf8').replaceAll(/^\s*#.*\n/gm, '')
  const lines = text.replaceAll(/\\\n\s*/g, '').split('\n')
  const instructions = lines.flatMap((line) => {
    const [, name, rest] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? []
    assert.ok(name || line.trim() === '', `no instruction: ${line}`)
    return name ? [{ name, text: rest! }] : []
  })
  const first = instructions.findIndex(({ name }) => name === 'FROM')
  const presets = instructions.slice(0, first).map(({ name, text: preset }) => {
    assert.equal(name, 'ARG')
    return preset.split('=') as [string, string]
  })
  const stages: (Stage & { instructions: Instruction[] })[] = []
  for (const instruction of instructions.slice(first)) {
    if (instruction.name !== 'FROM') {
      stages.at(-1)!.instructions.push(instruction)
      continue
    }
    const [from = '', , name = ''] = instruction.text.split(/\s+/)
    stages.push({ from, name, instructions: [] })
  }
  return { presets: new Map(presets), stages }
}

/** Returns the instructions of the last stage with those of the stages that it is made from. */
export function lastImage(): Instruction[] {
  const { stages } = readDockerfile()
  const chainOf = ({ from, instructions }: Stage): Instruction[] => {
    const base = stages.find(({ name }) => name === from)
    return [...(base ? chainOf(base) : []), ...instructions]
  }
  return chainOf(stages.at(-1)!)
}

/** Returns the files that `docker build` sends: those of the checkout but for what `.dockerignore` names. */
export function contextFiles(): string[] {
  const ignored = readFileSync(join(root, '.dockerignore'), 'utf8').trim().split('\n')
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root })
  return listed
    .toString()
    .trim()
    .split('\n')
    .filter((path) => existsSync(join(root, path)))
    .filter((path) => !ignored.some((each) => matchesGlob(path, each) || path.startsWith(`${each}/`)))
}

/** Returns the patterns below `node_modules` that a stage removes. */
export function removedPackages(): string[] {
  return readDockerfile().stages.flatMap(({ instructions }) =>
    instructions.flatMap(({ name, text }) => {
      if (name !== 'RUN') return []
      const [, inside] = /cd node_modules && rm -rf ([^&]*)/.exec(text) ?? []
      const [, below] = /rm -rf node_modules\/([^&]*)/.exec(text) ?? []
      return (inside ?? below ?? '').split(/\s+/).filter((each) => each !== '')
    }),
  )
}

/**
 * Makes the folder `/easel` of the image out of this checkout: the files that are copied, the packages that `npm ci` installs without those
 * that are removed, and the dashboard when it was built. Packages are links: with `NODE_PRESERVE_SYMLINKS` no package is found that is not
 * here.
 */
export function openImageFolder(): Disposable & { readonly path: string } {
  const path = mkdtempSync(join(tmpdir(), 'easel-image-'))
  chmodSync(path, 0o755)
  for (const file of contextFiles()) {
    mkdirSync(join(path, dirname(file)), { recursive: true })
    cpSync(join(root, file), join(path, file))
  }
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, { dev?: boolean }>>
  }
  const removed = removedPackages()
  const top = Object.entries(packages).filter(
    ([name, { dev }]) => !dev && /^node_modules\/(@[^/]+\/)?[^/]+$/.test(name),
  )
  for (const [name] of top) {
    const short = name.slice('node_modules/'.length)
    const isRemoved = removed.some((each) => matchesGlob(short, each) || matchesGlob(dirname(short), each))
    if (isRemoved || !existsSync(join(root, name))) continue
    mkdirSync(join(path, dirname(name)), { recursive: true })
    symlinkSync(join(root, name), join(path, name))
  }
  mkdirSync(join(path, 'node_modules/.bin'))
  symlinkSync(
    join('..', globSync('node_modules/node-*', { cwd: path })[0]!.slice(13), 'bin/node'),
    join(path, 'node_modules/.bin/node'),
  )
  const built = join(root, 'dashboard/dist')
  if (existsSync(built)) cpSync(built, join(path, 'dashboard/dist'), { recursive: true })
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) }
}
