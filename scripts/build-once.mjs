// Builds something from source files once, and again after each change of them.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdLock } from './lock.mjs'

const notWritable = ['EACCES', 'EPERM', 'EROFS', 'ENOSPC']

/**
 * Calls `build` unless `folder` was built from the files that `sources` have now. `build` resolves to whether it succeeded. Resolves to
 * whether `folder` is built then. `say` prints a line for the person who starts Easel; `what` begins it.
 */
export async function buildOnce({ root, sources, folder, what, build }, say) {
  const stamp = join(folder, '.built')
  const wanted = hashOf(root, sources, folder)
  const isBuilt = () => existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted
  if (isBuilt()) return true
  const run = async () => {
    // The stamp is removed first and written last: an interrupted build has none, and the next start repairs it.
    rmSync(stamp, { force: true })
    if (await build()) writeFileSync(stamp, wanted)
  }
  try {
    mkdirSync(folder, { recursive: true })
    await holdLock(folder, () => (isBuilt() ? undefined : run()), say)
  } catch (error) {
    if (!notWritable.includes(error.code)) throw error
    say(`${what} is not built, because its folder cannot be written (${error.code}): ${folder}`)
  }
  return isBuilt()
}

/** Runs a script of the checkout with this Node. Resolves to its status and its output. */
export function runScript(root, node, name) {
  const onWindows = process.platform === 'win32'
  const script = join(root, 'scripts', name)
  const builder = spawn(onWindows ? `"${node}"` : node, [onWindows ? `"${script}"` : script], {
    cwd: root,
    // React has a slower build for any other value.
    env: { ...process.env, NODE_ENV: 'production', NO_COLOR: '1' },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: onWindows,
  })
  let output = ''
  for (const stream of [builder.stdout, builder.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((resolve) => {
    builder.on('error', (error) => resolve({ status: error.code, output: error.message }))
    builder.on('close', (status, signal) => resolve({ status: status ?? signal, output }))
  })
}

function hashOf(root, sources, folder) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  const paths = sources.flatMap((source) =>
    readdirSync(join(root, source), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath ?? entry.path, entry.name)),
  )
  for (const path of paths.filter((each) => !each.startsWith(folder)).sort())
    hash.update(`\n${path.slice(root.length)}\n`).update(readFileSync(path))
  return hash.digest('hex')
}
