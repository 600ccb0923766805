#!/usr/bin/env node
// Starts the command line on the Node that Easel needs: the one that is installed beside it, or this one when it is new enough. Plain
// JavaScript, because any Node from 20 runs it.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const nodeMajor = 26
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP']
const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, 'dist', 'bundle', 'cli-main.mjs')
const program = existsSync(built) ? built : join(root, 'cli', 'main.ts')
const compiled = join(root, 'scripts', 'compiled.mjs')
// An emulator runs for a short time, with few people: its engine is compiled once, quickly, and takes less memory.
const emulatorFlags = ['--max-semi-space-size=4', '--liftoff-only', '--no-wasm-inlining']
const flags = process.argv[2] === 'emulator' ? emulatorFlags : ['--max-semi-space-size=64', '--no-wasm-inlining']

const node = findNode()
if (node === undefined) {
  process.stderr.write(`Easel runs on Node ${nodeMajor}, and there is none: install Node ${nodeMajor} or newer.\n`)
  process.exit(1)
}
run(node, [...flags, '--import', new URL(`file://${compiled}`).href, program, ...process.argv.slice(2)])

/** Returns the path of a Node that can run Easel. */
function findNode() {
  if (Number(process.versions.node.split('.')[0]) >= nodeMajor) return process.execPath
  const require = createRequire(import.meta.url)
  const { platform, arch } = process
  for (const name of [`node-${platform}-${arch}`, `node-bin-${platform}-${arch}`, `node-${platform.slice(0, 3)}-${arch}`]) {
    try {
      const folder = dirname(require.resolve(`${name}/package.json`))
      const path = join(folder, 'bin', platform === 'win32' ? 'node.exe' : 'node')
      if (existsSync(path)) return path
    } catch {
      // This package is for another machine.
    }
  }
  return undefined
}

/** Becomes the program where the system can do that, and otherwise starts it and passes signals on. */
function run(path, args) {
  if (typeof process.execve === 'function' && process.platform !== 'win32') process.execve(path, [path, ...args], process.env)
  const child = spawn(path, args, { stdio: 'inherit' })
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', (error) => {
    process.stderr.write(`${path} could not be started: ${error.message}\n`)
    process.exit(1)
  })
  child.on('close', (status, signal) => {
    if (signal) process.kill(process.pid, signal)
    process.exitCode = status ?? 1
  })
}
