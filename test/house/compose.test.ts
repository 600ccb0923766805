import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { parse } from 'yaml'
import { readConfig, variables } from '../../src/base/config.ts'
import { lastImage } from '../support/dockerfile.ts'
import { blocksOf } from '../support/pages.ts'

const root = join(import.meta.dirname, '../..')

type Service = {
  readonly image?: string
  readonly depends_on?: Readonly<Record<string, { condition: string }>>
  readonly ports?: readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  readonly volumes?: readonly string[]
  readonly tmpfs?: readonly string[]
  readonly healthcheck?: { readonly test: readonly string[] }
  readonly security_opt?: readonly string[]
  readonly [member: string]: unknown
}

const text = readFileSync(join(root, 'compose.yaml'), 'utf8')
const file = parse(text, { strict: true, uniqueKeys: true }) as {
  services: Readonly<Record<string, Service>>
  volumes: Readonly<Record<string, unknown>>
  [member: string]: unknown
}
const { easel, postgres, mail } = file.services as { easel: Service; postgres: Service; mail: Service }
const known: readonly string[] = Object.values(variables).map(({ name }) => name)
/** The members of a service that this file uses, out of those that the specification of Compose has. */
const serviceMembers = [
  ...['build', 'cap_drop', 'command', 'depends_on', 'environment', 'healthcheck', 'image', 'init', 'ports'],
  ...['read_only', 'restart', 'security_opt', 'shm_size', 'stop_grace_period', 'stop_signal', 'tmpfs', 'volumes'],
]
/** The lines that docs/deploying.md writes to compose.env. */
const block = blocksOf(readFileSync(join(root, 'docs/deploying.md'), 'utf8')).find(({ text: each }) =>
  each.includes('> compose.env'),
)!.text
const generated = block.match(/\b(?:EASEL|POSTGRES)_[A-Z_]+\b/g)!

/** Replaces `${NAME:?message}` and `${NAME:-preset}`, as Compose does. Throws for a name without value. */
function interpolated(value: string, env: Readonly<Record<string, string>>): string {
  return value.replaceAll(/\$\{(\w+)(?::([?-])([^}]*))?\}/g, (_, name, kind, rest) => {
    if (env[name]) return env[name]
    if (kind === '-') return rest
    throw new Error(`${name}: ${rest}`)
  })
}

test('the services of compose.yaml, what they wait for and their volumes fit together', () => {
  assert.deepEqual(Object.keys(file), ['name', 'services', 'volumes'])
  const used = new Set<string>()
  for (const [name, service] of Object.entries(file.services)) {
    assert.deepEqual(
      Object.keys(service).filter((member) => !serviceMembers.includes(member)),
      [],
      name,
    )
    assert.ok(service.image, name)
    assert.match(service.healthcheck!.test[0]!, /^CMD(-SHELL)?$/)
    assert.deepEqual(service.security_opt, ['no-new-privileges:true'])
    assert.equal(service.restart, 'unless-stopped')
    for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
      assert.equal(condition, 'service_healthy')
      assert.ok(file.services[other]?.healthcheck, `${name} waits for ${other}`)
    }
    for (const volume of service.volumes ?? []) {
      const [source = ''] = volume.split(':')
      assert.ok(source in file.volumes, `${name}: ${volume}`)
      used.add(source)
    }
  }
  assert.deepEqual([...used].sort(), Object.keys(file.volumes).sort())
})

test('nobody outside this machine reaches a port, and the port of Easel is the one of its image', () => {
  const image = lastImage()
  const exposed = image.find(({ name }) => name === 'EXPOSE')!.text
  for (const port of Object.values(file.services).flatMap(({ ports = [] }) => ports)) {
    assert.match(port, /^127\.0\.0\.1:\d+:\d+$/)
  }
  assert.deepEqual(easel.ports, [`127.0.0.1:${exposed}:${exposed}`])
  assert.ok(easel.healthcheck!.test.some((word) => word.includes(`127.0.0.1:${exposed}/ready`)))
  assert.ok(easel.volumes![0]!.endsWith(`:${image.find(({ name }) => name === 'VOLUME')!.text}`))
  const user = image.find(({ name }) => name === 'USER')!.text
  // Only these can be written.
  assert.equal(easel.read_only, true)
  assert.deepEqual(easel.tmpfs, ['/tmp', `/easel/node_modules/.cache:uid=${user}`])
  assert.deepEqual(easel.cap_drop, ['ALL'])
})

test('every variable of compose.yaml is one of Easel, has a value by docs/deploying.md, and Easel accepts them', () => {
  const { environment = {} } = easel
  assert.deepEqual(
    Object.keys(environment).filter((name) => !known.includes(name)),
    [],
  )
  const env = Object.fromEntries(generated.map((name) => [name, 'f'.repeat(64)]))
  const given = Object.entries(environment).map(([name, value]) => [name, interpolated(value, env)])
  const config = readConfig(Object.fromEntries(given))
  const database = new URL(config.databaseUrl!)
  assert.deepEqual(
    [database.hostname, database.username, database.pathname, database.password],
    ['postgres', postgres.environment!.POSTGRES_USER, `/${postgres.environment!.POSTGRES_DB}`, env.POSTGRES_PASSWORD],
  )
  assert.equal(new URL(config.smtpUrl!).hostname, 'mail')
  assert.equal(new URL(config.publicUrl).port, '8080')
  // Without the file of secrets nothing starts, and the message says where the page about it is.
  for (const name of generated) {
    const { [name]: _, ...others } = env
    const start = () =>
      Object.values({ ...environment, ...postgres.environment }).map((each) => interpolated(each, others))
    assert.throws(start, new RegExp(`^Error: ${name}: .*docs/deploying\\.md`))
  }
})

test('PostgreSQL and the mail catcher are named by version', () => {
  const [, major] = /^postgres:(\d+)-/.exec(postgres.image!)!
  const [, first, last] = /version (\d+) to (\d+)/.exec(variables.databaseUrl.meaning)!
  assert.ok(Number(major) >= Number(first) && Number(major) <= Number(last))
  assert.match(mail.image!, /:v\d+\.\d+/)
})

const compose = spawnSync('docker-compose', ['version'], { stdio: 'ignore' }).status === 0
const skip = compose ? false : 'docker-compose is not installed: apt-get install docker-compose'
test('docker-compose accepts compose.yaml', { skip }, () => {
  const env = { ...Object.fromEntries(generated.map((name) => [name, 'f'.repeat(64)])), PATH: process.env.PATH }
  const read = spawnSync('docker-compose', ['--file', join(root, 'compose.yaml'), 'config'], { env, encoding: 'utf8' })
  // The version of Debian 12 is older than the member `name` at the top.
  const isOld = /'name' does not match any of the regexes/.test(read.stderr)
  if (!isOld) return assert.equal(read.status, 0, read.stderr)
  const older = spawnSync('docker-compose', ['--file', '-', '--project-directory', root, 'config'], {
    ...{ env, encoding: 'utf8' },
    input: `version: '3.9'\n${text.replace(/^name: .*\n/m, '')}`,
  })
  assert.equal(older.status, 0, older.stderr)
})
