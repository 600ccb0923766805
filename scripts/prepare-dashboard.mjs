// Builds the dashboard when its files or its packages have changed. A build that fails stops nothing: the service starts without it.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { holdLock } from './lock.mjs'

const reasonCharactersMax = 300

/**
 * Builds `dashboard/` into `dashboard/dist` with this Node, unless it is built. Resolves to whether it is built then.
 * `say` prints a line for the person who starts the service.
 */
export async function prepareDashboard(root, node, say) {
  const source = join(root, 'dashboard')
  if (!existsSync(source)) return false
  const folder = join(source, 'dist')
  const wanted = hashOf(root, source)
  const isBuilt = () => existsSync(join(folder, '.built')) && readFileSync(join(folder, '.built'), 'utf8') === wanted
  if (isBuilt()) return true
  try {
    mkdirSync(folder, { recursive: true })
    await holdLock(source, () => (isBuilt() ? undefined : build(root, folder, node, wanted, say)), say)
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOSPC'].includes(error.code)) throw error
    say(`The dashboard is not built, because its folder cannot be written (${error.code}): ${folder}`)
  }
  return isBuilt()
}

async function build(root, folder, node, wanted, say) {
  say('Building the dashboard. This happens once after each change of it.')
  const startedAt = Date.now()
  // The stamp is removed first and written last: an interrupted build has none, and the next start repairs it.
  for (const name of ['.built', '.failed']) rmSync(join(folder, name), { force: true })
  const { status, output } = await run(root, node)
  if (status === 0) {
    writeFileSync(join(folder, '.built'), wanted)
    say(`Built the dashboard in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
    return
  }
  say(`${output.trimEnd()}\n\nThe dashboard could not be built; the output is above. The service starts without it.`)
  writeFileSync(join(folder, '.failed'), reasonFrom(status, output, root))
}

function run(root, node) {
  const onWindows = process.platform === 'win32'
  const script = join(root, 'scripts', 'build-dashboard.ts')
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

/** Returns one line for the page that is shown instead of the dashboard. It is public, so it names no folder of this machine. */
function reasonFrom(status, output, root) {
  const line = output.split('\n').find((each) => /error|cannot|failed/i.test(each)) ?? output.split('\n')[0] ?? ''
  const reason = line.replaceAll(root, '').trim().slice(0, reasonCharactersMax)
  return `The dashboard could not be built (status ${status}). ${reason} The terminal of "npm start" has the whole output.`
}

function hashOf(root, source) {
  const hash = createHash('sha256').update(readFileSync(join(root, 'package-lock.json')))
  const entries = readdirSync(source, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.startsWith(join(source, 'dist')))
    .sort()
  for (const path of entries) hash.update(`\n${path.slice(source.length)}\n`).update(readFileSync(path))
  return hash.digest('hex')
}
