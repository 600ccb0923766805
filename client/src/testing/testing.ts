import { randomUUID } from 'node:crypto'
import { Easel } from '../client.ts'
import { type Ask, askerOf, queryOf } from './admin.ts'
import { type EmulatorFlags, type EmulatorProcess, startEmulatorProcess } from './emulator-process.ts'
import { Inbox } from './inbox.ts'
import { Person } from './person.ts'
import type { Fault, RecordedRequest, RequestFilter } from './types.ts'

export { EmulatorError } from './admin.ts'
export type { Inbox, MailFilter } from './inbox.ts'
export type { Person } from './person.ts'
export type * from './types.ts'

export type StartOptions = EmulatorFlags & {
  /** Uses an emulator that runs, with its admin token, instead of starting one. */
  readonly url?: string | undefined
  readonly adminToken?: string | undefined
  /** Starts an emulator for this test alone: its clock moves for nobody else. */
  readonly isolated?: boolean | undefined
  /** A workspace file without its head, applied to the workspace of this test, also after each reset. */
  readonly file?: object | undefined
}

/** The id of the app that each workspace of the kit has. */
export const testAppId = 'test-app'

let shared: Promise<EmulatorProcess> | undefined
let users = 0

/**
 * Returns a workspace of its own in an emulator: `await using easel = await startEasel()`. Calls of one process share one emulator, so
 * tests may run in parallel. The emulator ends with its last user.
 */
export async function startEasel(options: StartOptions = {}): Promise<TestEasel> {
  const { process: emulator, url, adminToken, leave } = await join(options)
  try {
    return await openTestEasel({ url, adminToken, leave, line: emulator?.line, file: options.file })
  } catch (error) {
    await leave()
    throw error
  }
}

type Joined = {
  readonly process?: EmulatorProcess
  readonly url: string
  readonly adminToken: string
  leave(): Promise<void>
}

async function join(options: StartOptions): Promise<Joined> {
  if (options.url !== undefined) {
    return { url: options.url, adminToken: options.adminToken ?? '', leave: async () => {} }
  }
  const own = [options.deterministic, options.seed, options.workspaces]
  const isOwn = options.isolated || own.some((flag) => flag !== undefined)
  if (isOwn) {
    const started = await startEmulatorProcess(options)
    const { url, admin_token: adminToken } = started.line
    return { process: started, url, adminToken, leave: () => started.stop() }
  }
  users++
  shared ??= startEmulatorProcess(options)
  const used = shared
  const leave = async () => {
    users--
    if (users > 0 || shared !== used) return
    shared = undefined
    await used.then(
      (one) => one.stop(),
      () => {},
    )
  }
  try {
    const { line } = await used
    return { process: await used, url: line.url, adminToken: line.admin_token, leave }
  } catch (error) {
    await leave()
    throw error
  }
}

type Opening = {
  readonly url: string
  readonly adminToken: string
  readonly line: EmulatorProcess['line'] | undefined
  readonly file: object | undefined
  leave(): Promise<void>
}

async function openTestEasel({ url, adminToken, line, file, leave }: Opening): Promise<TestEasel> {
  const admin = askerOf(url, adminToken)
  const workspace = `test-${randomUUID().slice(0, 13)}`
  await admin('POST', '/admin/workspace', { id: workspace, name: workspace })
  const key = { name: 'Test kit', permissions: ['*'], allowed_ips: [] }
  const made = await admin<{ key: { key: string } }>('POST', `/admin/keys${queryOf({ workspace })}`, key)
  const easel = new TestEasel({ url, adminToken, apiKey: made.key.key, workspace, file, line, leave })
  await easel.applyFile()
  return easel
}

type TestParts = Opening & { readonly apiKey: string; readonly workspace: string }

/** A workspace of an emulator, for one test. */
export class TestEasel {
  readonly url: string
  readonly apiKey: string
  readonly adminToken: string
  /** The id of the workspace. */
  readonly workspace: string
  /** What the emulator has printed at its start; undefined for one that ran already. */
  readonly emulator: EmulatorProcess['line'] | undefined
  /** A typed client with the key of the workspace. */
  readonly client: Easel
  readonly inbox: Inbox
  readonly #admin: Ask
  readonly #ask: Ask
  readonly #parts: TestParts

  constructor(parts: TestParts) {
    const { url, apiKey, adminToken, workspace, line } = parts
    this.url = url
    this.apiKey = apiKey
    this.adminToken = adminToken
    this.workspace = workspace
    this.emulator = line
    this.client = new Easel({ url, key: apiKey })
    this.#admin = askerOf(url, adminToken)
    this.#ask = askerOf(url, apiKey)
    this.inbox = new Inbox(this.#admin, workspace)
    this.#parts = parts
  }

  /** The clock of the emulator, which all its workspaces share. */
  readonly clock = {
    now: async (): Promise<Date> => new Date((await this.admin<{ now: string }>('GET', '/admin/clock')).now),
    /** Moves the clock by an ISO 8601 duration, and does what falls due on the way. */
    advance: async (duration: string): Promise<Date> => this.#move({ advance: duration }),
    /** Moves the clock to an instant. */
    set: async (instant: Date | string): Promise<Date> => this.#move({ now: new Date(instant).toISOString() }),
  }

  /** The person with this external id, whether it exists or not. */
  person(external_id: string): Person {
    return new Person(external_id, this.#ask, this.inbox)
  }

  /** Sends a request with the key of the workspace. Throws an EmulatorError for a refusal. */
  send<Reply = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Reply> {
    return this.#ask<Reply>(method, path, body)
  }

  /** Sends a request with the admin token, for the workspace of this test. */
  admin<Reply = Record<string, unknown>>(method: string, path: string, body?: unknown): Promise<Reply> {
    const isOfWorkspace =
      path.startsWith('/admin/') && !/[?&]workspace=/.test(path) && !/^\/admin\/(clock|workspace)\b/.test(path)
    const separator = path.includes('?') ? '&' : '?'
    return this.#admin<Reply>(method, isOfWorkspace ? `${path}${separator}workspace=${this.workspace}` : path, body)
  }

  /** Applies a workspace file without its head to the workspace. */
  async apply(file: object): Promise<void> {
    await this.#admin('POST', `/admin/apply${queryOf({ workspace: this.workspace })}`, file)
  }

  /** Orders a fault for the next requests of this workspace that match, or for its next mails. Faults meet requests in their order. */
  async fault(fault: Fault): Promise<{ readonly id: string }> {
    const { fault: entry } = await this.#admin<{ fault: { id: string } }>('POST', '/emulator/faults', {
      ...fault,
      workspace: this.workspace,
    })
    return entry
  }

  /** Lists the latest requests of this workspace, oldest first. */
  async requests(filter: Omit<RequestFilter, 'body'> & { readonly status?: number } = {}): Promise<RecordedRequest[]> {
    const query = queryOf({ ...filter, workspace: this.workspace })
    return (await this.#admin<{ requests: RecordedRequest[] }>('GET', `/emulator/requests${query}`)).requests
  }

  /** Waits until `count` requests of this workspace match. Throws an EmulatorError that says what the nearest one was. */
  async expectRequest(
    filter: RequestFilter,
    { count = 1, withinMs = 1_000 }: { readonly count?: number; readonly withinMs?: number } = {},
  ): Promise<RecordedRequest[]> {
    const body = { ...filter, workspace: this.workspace, count, within_ms: withinMs }
    return (await this.#admin<{ requests: RecordedRequest[] }>('POST', '/emulator/requests/expect', body)).requests
  }

  /** Empties the workspace, and applies its file again. Its id and its key stay. */
  async reset(): Promise<void> {
    await this.#admin('POST', '/emulator/reset', { workspace: this.workspace })
    await this.applyFile()
  }

  /** Saves what the workspace has. */
  async save(name: string): Promise<void> {
    await this.#admin('POST', '/emulator/snapshots', { name, workspace: this.workspace })
  }

  /** Returns the workspace to what it had. */
  async restore(name: string): Promise<void> {
    await this.#admin('POST', `/emulator/snapshots/${name}/restore${queryOf({ workspace: this.workspace })}`)
  }

  /** Applies the file of the workspace, which has an app in any case. */
  async applyFile(): Promise<void> {
    const apps = { apps: [{ id: testAppId, name: 'Test app', platform: 'web' }] }
    await this.apply({ ...apps, ...this.#parts.file })
  }

  async #move(body: object): Promise<Date> {
    return new Date((await this.admin<{ now: string }>('POST', '/admin/clock', body)).now)
  }

  /** Leaves the emulator. It ends with its last user. */
  async [Symbol.asyncDispose](): Promise<void> {
    // An emulator that has ended has no faults.
    await this.#admin('DELETE', `/emulator/faults${queryOf({ workspace: this.workspace })}`).catch(() => undefined)
    await this.#parts.leave()
  }
}
