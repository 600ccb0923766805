import { connectMsMax, serverOf } from './smtp.ts'

/** What a mail server says before it gets a mail. */
export type SmtpProbe = {
  /** The first line of its reply to EHLO, without the code. */
  readonly greeting: string
  /** What it offers, such as `STARTTLS` and `SIZE 35882577`. */
  readonly extensions: readonly string[]
  readonly isEncrypted: boolean
  /** Whether it took the user and password of the URL; undefined when the URL has none. */
  readonly isLoggedIn: boolean | undefined
}

/** Connects to the server of `SMTP_URL`, greets it and logs in, as for a mail. Rejects with the cause when one of these fails. */
export async function probeSmtp(url: string): Promise<SmtpProbe> {
  const { default: SmtpConnection } = await import('nodemailer/lib/smtp-connection')
  const { auth, ...server } = serverOf(url)
  const timeouts = { connectionTimeout: connectMsMax, greetingTimeout: connectMsMax, dnsTimeout: connectMsMax }
  const connection = new SmtpConnection({ ...server, ...timeouts, socketTimeout: connectMsMax })
  const failed = new Promise<never>((_, reject) => connection.once('error', reject))
  failed.catch(() => undefined)
  const run = (step: (done: (error?: Error | null) => void) => void): Promise<void> =>
    Promise.race([failed, new Promise<void>((resolve, reject) => step((error) => (error ? reject(error) : resolve())))])
  try {
    await run((done) => connection.connect(done))
    const [greeting = '', ...extensions] = String(connection.lastServerResponse || '')
      .split(/\r?\n/)
      .map((line) => line.replace(/^\d{3}[ -]/, '').trim())
    if (auth) await run((done) => connection.login({ credentials: auth }, done))
    return { greeting, extensions, isEncrypted: connection.secure, isLoggedIn: auth && true }
  } finally {
    connection.close()
  }
}
