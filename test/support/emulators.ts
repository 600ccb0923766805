import { execPath } from 'node:process'
import { type StartOptions, startEasel, type TestEasel } from '../../client/src/testing/testing.ts'
import settings from '../../package.json' with { type: 'json' }

/** The flags of the engine that `npm run emulator` has. */
const flags = settings.scripts.emulator.split(' ').filter((part) => /^--(?:max|liftoff|no)-/.test(part))

/** The program of the checkout. */
export const emulatorCommand: readonly string[] = [execPath, ...flags, 'cli/main.ts']

/** Joins the emulator of this process, the real program. */
export function joinEmulator(options: StartOptions = {}): Promise<TestEasel> {
  return startEasel({ command: emulatorCommand, startMs: 600_000, ...options })
}

/** A mail to send to people, for `/messages/send`. */
export function mailTo(external_user_ids: readonly string[], subject: string): object {
  const email = { app_id: 'test-app', subject, from: 'Easel <easel@example.com>', body: `<p>${subject}</p>` }
  return { external_user_ids, messages: { email } }
}
