import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parseReturnPath } from '../../src/messaging/feedback/bounce-listener.ts'
import { getInstallation } from '../../src/workspace/settings/installation-store.ts'
import { type MailServer, startMailServer } from '../servers/smtp.ts'
import { newDatabase } from '../servers/template.ts'
import { type Database, drawDatabases, type Service, startService } from '../support/harness.ts'
import { letter, sendingWorkspace } from '../support/messages.ts'
import { newEmail, newId } from '../support/people.ts'
import { converse, report } from '../support/returned-mail.ts'
import { Signing } from '../support/sign-in.ts'

const domain = 'returned.example.com'

for (const database of drawDatabases('return-paths')) {
  describe(`return paths (${database})`, () => {
    /** Answers requests, and mails links to sign in. */
    const at = new Signing()
    let worker: Service | undefined
    let server: MailServer

    before(async () => {
      server = await startMailServer()
      const env = { SMTP_URL: server.url, BOUNCE_DOMAIN: domain, ...(await shared(database)) }
      const roles = database === 'postgres' ? ['http', 'worker'] : ['all']
      await at.start({ database, workspace: sendingWorkspace, env: { ...env, EASEL_ROLE: roles[0]! } })
      if (roles[1]) worker = await startService({ database, env: { ...env, EASEL_ROLE: roles[1] } })
    })
    after(async () => {
      await worker?.[Symbol.asyncDispose]()
      await at.stop()
      await server?.close()
    })

    /** Waits for the mail to an address. Returns the address to which it comes back. */
    const returnPathOf = async (email: string): Promise<string> => {
      const found = () => server.taken.find(({ to }) => to.includes(email))
      await at.until(async () => found() !== undefined)
      return found()!.from
    }

    test('every mail has its own one in every process, also where no returned mail is received', async () => {
      const [ann, ben] = [newId(), newId()].map((external_id) => ({ external_id, email: newEmail() }))
      await at.service.post('/users/track', { attributes: [ann, ben] })
      const external_user_ids = [ann!.external_id, ben!.external_id]
      assert.equal((await at.service.post('/messages/send', letter({ external_user_ids }))).status, 201)
      const { user_name } = await at.account()
      assert.equal((await at.ask(user_name)).status, 200)
      const paths = await Promise.all([ann!.email, ben!.email, user_name].map(returnPathOf))
      const { secret } = await getInstallation(at.db)
      assert.equal(new Set(paths).size, 3)
      for (const path of paths) assert.equal(parseReturnPath(path, { domain, secret })?.kind, 'bounced', path)
    })

    test('a returned mail to an account is received and concerns nobody else', async () => {
      const { user_name } = await at.account()
      await at.ask(user_name)
      const path = await returnPathOf(user_name)
      const env = { BOUNCE_SMTP_PORT: '0', BOUNCE_DOMAIN: domain }
      await using listening = await startService({ on: { db: at.db, databaseUrl: undefined }, env })
      const text = report('5.1.1', '550 5.1.1 no such user', user_name)
      const lines = ['EHLO a', 'MAIL FROM:<>', `RCPT TO:<${path}>`, 'DATA', `${text}\r\n.`, 'QUIT']
      assert.deepEqual((await converse(listening.app.bouncePort!, lines)).slice(-2), [250, 221])
      const { body } = await listening.admin('GET', '/admin/suppressions')
      assert.deepEqual(body.suppressions, [])
    })
  })
}

/** Several processes need a database that they can reach. */
async function shared(database: Database): Promise<{ readonly DATABASE_URL?: string }> {
  return database === 'postgres' ? { DATABASE_URL: await newDatabase('service') } : {}
}
