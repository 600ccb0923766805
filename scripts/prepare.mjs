// Runs before every npm command and makes node_modules match package-lock.json: what runs Easel, and with --dev also what develops it.
// Plain JavaScript without dependencies, because the Node of the machine (20 or newer) runs it before anything is installed.
import { createHash } from 'node:crypto'
import {
  closeSync,
  existsSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const nodeMajor = 26
const nodeMajorMin = 20
const parentMs = 250
const onWindows = process.platform === 'win32'
const root = fileURLToPath(new URL('..', import.meta.url))
const bin = join(root, 'node_modules', '.bin')
const pinnedNode = join(bin, onWindows ? 'node.cmd' : 'node')
const stampPath = join(root, 'node_modules', '.prepared')
// npm writes this file at the end of an installation.
const installedPath = join(root, 'node_modules', '.package-lock.json')
const withDev = process.argv.includes('--dev')
// Read before anything is started: the shell may end while npm starts.
const parent = process.ppid

if (!isPrepared()) {
  const { holdLock } = await import('./lock.mjs')
  await holdLock(root, (lock) => (isPrepared() ? undefined : install(lock)), say)
}
if (onWindows) createExec()

if (process.argv.includes('--dashboard') && process.exitCode === undefined) {
  const { prepareDashboard } = await import('./prepare-dashboard.mjs')
  await prepareDashboard(root, existsSync(pinnedNode) ? pinnedNode : process.execPath, say)
}
if (process.argv.includes('--bundle') && process.exitCode === undefined) {
  const { prepareBundle } = await import('./prepare-bundle.mjs')
  await prepareBundle(root, existsSync(pinnedNode) ? pinnedNode : process.execPath, say)
}

/** Whether this script has checked what is installed now. The stamp begins with what was installed: `all`, or `run` without `dev`. */
function isPrepared() {
  const [scope, sum] = readText(stampPath).split(' ')
  const isEnough = scope === 'all' || (scope === 'run' && !withDev)
  return isEnough && sum === stampSum() && (existsSync(pinnedNode) || isNodeNewEnough(nodeMajor))
}

function stampSum() {
  return createHash('sha256')
    .update(readText(join(root, 'package-lock.json')))
    .update(`\n${process.platform} ${process.arch} ${libc()}\n`)
    .update(readText(installedPath))
    .digest('hex')
}

function readText(path) {
  return existsSync(path) ? readFileSync(path, 'utf8') : ''
}

async function install(lock) {
  if (!isNodeNewEnough(nodeMajorMin)) {
    return fail(
      `Node ${nodeMajorMin} or newer is needed to install, this is ${process.version}: see https://nodejs.org.`,
    )
  }
  // A person may have run npm ci.
  if (isInstalled(withDev)) return finish()
  const what = withDev ? 'what tests and checks need' : 'what runs Easel'
  say(`Installing ${what}, as in package-lock.json. This takes up to a minute and happens once.`)
  const startedAt = Date.now()
  // A running server keeps its packages when those for tests are added to them.
  const flags = isInstalled(false)
    ? 'install --no-save --include=dev --include=optional'
    : `ci ${withDev ? '--include=dev' : '--omit=dev'} --include=optional`
  // The stamp is removed first and written last: an interrupted installation has none, and the next start repairs it.
  rmSync(stampPath, { force: true })
  if (onWindows) moveOwnProgram()
  const { status, output } = await runNpm(flags, lock)
  if (status !== 0) return fail(`${output.trimEnd()}\n\n${remedyFor(status, output)}`)
  if (await finish()) say(`Installed in ${Math.round((Date.now() - startedAt) / 1000)} s.`)
}

/** Writes the stamp, unless the pinned Node does not run here. */
async function finish() {
  const complaint = await complaintOfNode()
  if (complaint) {
    fail(complaint)
    return false
  }
  removeHeaders()
  writeFileSync(stampPath, `${isInstalled(true) || withDev ? 'all' : 'run'} ${stampSum()}`)
  return true
}

/** Whether what npm installed is what package-lock.json wants on this machine. Without `dev`, packages for development do not count. */
function isInstalled(dev) {
  const installed = packagesIn(installedPath)
  if (installed === undefined) return false
  const wanted = Object.entries(packagesIn(join(root, 'package-lock.json')) ?? {})
  return wanted.every(([path, { version, integrity, dev: isDev, optional, os, cpu, libc: libcs }]) => {
    if (path === '' || (isDev && !dev)) return true
    const fits = [
      [os, process.platform],
      [cpu, process.arch],
      [libcs, libc()],
    ].every(([allowed, own]) => !allowed || allowed.includes(own))
    if (optional && !fits) return true
    return installed[path]?.version === version && installed[path]?.integrity === integrity
  })
}

function packagesIn(path) {
  try {
    return JSON.parse(readText(path)).packages
  } catch {
    // There is none, or npm was interrupted while it wrote it.
    return undefined
  }
}

// The package of the pinned Node has headers for compilers, which are a third of it.
function removeHeaders() {
  const packages = readdirSync(join(root, 'node_modules')).filter((name) => /^node-(bin-)?\w+-\w+$/.test(name))
  for (const name of packages) rmSync(join(root, 'node_modules', name, 'include'), { recursive: true, force: true })
}

/** Runs npm, not on the Node in node_modules, which npm ci deletes. Its flags win over NODE_ENV and npm's configuration. */
async function runNpm(command, lock) {
  const { spawn } = await import('node:child_process')
  const flags = `${command} --no-audit --no-fund --no-progress --loglevel=error`
  const pathName = Object.keys(process.env).find((name) => name.toUpperCase() === 'PATH')
  const folders = process.env[pathName]
    .split(delimiter)
    .filter((folder) => !/node_modules[\\/]\.bin[\\/]?$/.test(folder))
  const env = { ...process.env, [pathName]: folders.join(delimiter) }
  const stdio = ['ignore', 'pipe', 'pipe', ...lock.inherited]
  const npm = spawn(onWindows ? `npm ${flags}` : 'npm', onWindows ? [] : flags.split(' '), {
    cwd: root,
    env,
    stdio,
    shell: onWindows,
  })
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => npm.kill(signal))
  // A signal to npm start reaches only its shell. When that has ended, nobody waits for the installation.
  setInterval(() => process.ppid !== parent && npm.kill(), parentMs).unref()
  let output = ''
  for (const stream of [npm.stdout, npm.stderr]) stream.on('data', (chunk) => (output += chunk))
  return new Promise((resolve) => {
    npm.on('error', (error) => resolve({ status: error.code, output: error.message }))
    npm.on('close', (status, signal) => resolve({ status: status ?? signal, output }))
  })
}

/** `exec` in the command of npm start leaves no shell between npm and the service. Windows has no exec: there, this file runs the rest. */
function createExec() {
  const command = join(bin, 'exec.cmd')
  if (existsSync(bin) && !existsSync(command)) writeFileSync(command, '@%*\r\n')
}

// Windows cannot delete a running program, but can move it.
function moveOwnProgram() {
  for (const name of readdirSync(root)) if (/^\.node-\d+\.exe$/.test(name)) rmSync(join(root, name), { force: true })
  if (process.execPath.startsWith(join(root, 'node_modules'))) {
    renameSync(process.execPath, join(root, `.node-${process.pid}.exe`))
  }
}

function remedyFor(status, output) {
  if (status === 'ENOENT') return 'npm was not found. It comes with Node: see https://nodejs.org.'
  if (/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ENOTCACHED/.test(output)) {
    return 'npm could not reach its registry. Installing needs the network once; behind a proxy, see npm config set proxy.'
  }
  if (/EUSAGE|in sync/.test(output))
    return 'package.json and package-lock.json differ: run npm install and keep both files.'
  if (/ENOSPC/.test(output)) return 'The disk is full. Free some space and start again to repair the installation.'
  if (/EACCES|EPERM/.test(output)) return `npm may not write to ${root}node_modules: check its owner, then start again.`
  return `npm ci ended with ${status}; its output is above. Start again to repair the installation.`
}

/** Returns why Node 26 cannot run here, or nothing. Without a suitable package, a Node on PATH that is new enough is used. */
async function complaintOfNode() {
  const { spawnSync } = await import('node:child_process')
  let reason = `there is no package of it for ${process.platform} on ${process.arch}`
  if (existsSync(pinnedNode)) {
    const trial = spawnSync(onWindows ? `"${pinnedNode}" --version` : pinnedNode, onWindows ? [] : ['--version'], {
      encoding: 'utf8',
      shell: onWindows,
    })
    if (trial.status === 0) return
    reason = `the one that was installed does not run: ${(trial.stderr || trial.error?.message || '').trim()}`
    // A Node that cannot start must not be the first one in the PATH of npm's commands.
    rmSync(pinnedNode)
  }
  if (isNodeNewEnough(nodeMajor)) return
  const library = /libatomic/.test(reason) ? 'install libatomic1 (Debian, Ubuntu: apt-get install libatomic1) or ' : ''
  return [
    `Easel runs on Node ${nodeMajor}, and ${reason}.`,
    `To continue, ${library}install Node ${nodeMajor} or newer yourself: see https://nodejs.org.`,
  ].join('\n')
}

function isNodeNewEnough(major) {
  return Number(process.versions.node.split('.')[0]) >= major
}

/** Returns the C library of this Node, by the loader at the start of the executable. Native packages depend on it. */
function libc() {
  if (process.platform !== 'linux') return ''
  const head = Buffer.alloc(4096)
  const file = openSync(process.execPath, 'r')
  readSync(file, head)
  closeSync(file)
  return head.includes('ld-musl') ? 'musl' : 'glibc'
}

function say(line) {
  process.stderr.write(`${line}\n`)
}

function fail(sentences) {
  say(sentences)
  process.exitCode = 1
}
