import assert from 'node:assert/strict'
import test from 'node:test'
import { pino } from 'pino'
import { readConfig } from '../../src/base/config.ts'
import type { Db } from '../../src/base/db/db.ts'
import { emulatorRoutes } from '../../src/emulator/control/routes.ts'
import { startEmulator } from '../../src/start-emulator.ts'
import { makeAccount, signIn } from '../support/accounts.ts'
import { clientOf } from '../support/client.ts'

const apiKey = 'emulator-api-key-of-32-characters-or-more'
const adminToken = 'emulator-admin-token-of-32-characters-or-more'

test('of signed-in people only administrators of the company may use what an emulator adds', async () => {
  let db!: Db
  const config = readConfig({
    ...{ HOST: '127.0.0.1', PORT: '0', EASEL_DATA: 'memory', EASEL_CLOCK: 'virtual' },
    ...{ EASEL_API_KEY: apiKey, EASEL_ADMIN_TOKEN: adminToken },
  })
  const opened = (of: Db) => {
    db = of
  }
  const app = await startEmulator(config, { log: pino({ level: 'silent' }), opened })
  try {
    const service = clientOf(app.url, { apiKey, adminToken })
    const workspaceOnly = { appGroup: [{ appGroupId: 'default', appGroupPermissions: ['admin'] }] }
    const people = [
      [await makeAccount(db, workspaceOnly), 403],
      [await makeAccount(db, { companyPermissions: ['manage_company_settings'] }), 403],
      [await makeAccount(db, { companyPermissions: ['admin'] }), undefined],
    ] as const
    for (const [account, refused] of people) {
      const { send } = await signIn(service, db, account)
      for (const { method, path } of emulatorRoutes(() => assert.fail())) {
        if (path === '/emulator/reset' && refused === undefined) continue
        const { status, text } = await send(method, path.replace('{name}', 'none'), method === 'GET' ? undefined : {})
        if (refused === undefined) assert.ok(status !== 401 && status !== 403 && status < 500, `${path}: ${text}`)
        else assert.equal(status, refused, `${method} ${path}: ${text}`)
      }
    }
  } finally {
    await app.close()
  }
})
