import assert from 'node:assert/strict'
import { after, before } from 'node:test'
import type { Db } from '../../src/base/db/db.ts'
import { sql } from '../../src/base/db/sql.ts'
import { type Database, requestOrigin, type Service, scimToken, startService } from './harness.ts'
import type { Answer } from './http-requests.ts'
import { type Item, newId } from './people.ts'

export const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
export const enterpriseSchema = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'
export const errorSchema = 'urn:ietf:params:scim:api:messages:2.0:Error'
export const listSchema = 'urn:ietf:params:scim:api:messages:2.0:ListResponse'
export const patchSchema = 'urn:ietf:params:scim:api:messages:2.0:PatchOp'
export const searchSchema = 'urn:ietf:params:scim:api:messages:2.0:SearchRequest'

export const users = '/scim/v2/Users'
/** The beginning of every `location`. */
export const publicUrl = 'https://easel.example.com/base'

/** The workspace of the contract's samples, with the roles and groups that they name. */
export const file = {
  workspace: { id: 'default', name: 'Test Workspace' },
  teams: [{ id: 'test-team', name: 'Test Team' }],
  roles: [{ id: 'editor', name: 'Editor', permissions: ['basic_access', 'edit_segments'] }],
  permission_sets: [{ id: 'care', name: 'Care', permissions: ['view_user_profile', 'view_pii'] }],
}

type Headers = { readonly [name: string]: string }

/** A client of SCIM, with its own service. */
export class Provisioning {
  service!: Service
  db!: Db

  async start(database: Database): Promise<void> {
    this.service = await startService({
      database,
      env: { PUBLIC_URL: publicUrl },
      opened: (db) => {
        this.db = db
      },
    })
    await this.service.admin('POST', '/admin/apply', file)
  }

  /** Sends a request with the token and its origin. The answer is parsed as JSON, whatever its content type. */
  async send(method: string, path: string, body?: unknown, headers: Headers = {}): Promise<Answer> {
    const sent = { 'x-request-origin': requestOrigin, ...headers }
    const answer = await this.service.send(method, path, body, { key: scimToken, headers: sent })
    return { ...answer, body: answer.text === '' ? undefined : JSON.parse(answer.text) }
  }

  get(path: string, headers?: Headers): Promise<Answer> {
    return this.send('GET', path, undefined, headers)
  }

  /** Sends a request that must succeed. */
  async done(method: string, path: string, body?: unknown, headers?: Headers): Promise<Answer> {
    const answer = await this.send(method, path, body, headers)
    assert.ok(answer.status < 300, `${method} ${path}: ${answer.text}`)
    return answer
  }

  /** Creates an account from a sample. `given` adds to or overrides its members. */
  async make(given: Item = {}): Promise<{ readonly id: string; readonly path: string; readonly body: Answer['body'] }> {
    const { body } = await this.done('POST', users, sampleUser(given))
    return { id: body.id, path: `${users}/${body.id}`, body }
  }

  patch(path: string, operations: readonly Item[], headers?: Headers): Promise<Answer> {
    return this.send('PATCH', path, patchOf(operations), headers)
  }

  /** Returns the names of the users that a filter finds, in the order of the list. */
  async found(filter: string, more = ''): Promise<string[]> {
    const { body } = await this.done('GET', `${users}?filter=${encodeURIComponent(filter)}${more}`)
    return body.Resources.map(({ userName }: { userName: string }) => userName)
  }

  /** Returns the actions and details of the audit rows of an account, oldest first. */
  written(id: string): Promise<{ action: string; actor: string; before: Item | null; after: Item | null }[]> {
    return this.db.query(sql`
      select action, actor_kind || ' ' || actor_name as actor, before, after from audit
      where kind = 'change' and target_kind = 'account' and target_id = ${id} order by audit_id`)
  }

  async count(): Promise<number> {
    return (await this.done('GET', `${users}?count=0`)).body.totalResults
  }
}

/** Starts a service for the tests of one suite. */
export function provisioningOf(database: Database): Provisioning {
  const provisioning = new Provisioning()
  before(() => provisioning.start(database))
  after(() => provisioning.service[Symbol.asyncDispose]())
  return provisioning
}

export function newName(word = 'user'): string {
  return `${newId(word)}@test.com`
}

export function sampleUser(given: Item = {}): Item {
  return {
    schemas: [userSchema],
    userName: newName(),
    name: { givenName: 'Test', familyName: 'User' },
    department: 'finance',
    ...given,
  }
}

export function patchOf(Operations: readonly Item[]): Item {
  return { schemas: [patchSchema], Operations }
}

export function assertRefused(
  answer: Answer,
  status: number,
  scimType: string | undefined,
  detail: RegExp | string = /./,
): void {
  const { detail: text, ...rest } = answer.body
  assert.equal(answer.status, status, answer.text)
  assert.deepEqual(rest, { schemas: [errorSchema], status, ...(scimType && { scimType }) })
  if (typeof detail === 'string') assert.equal(text, detail)
  else assert.match(text, detail)
}
