import { execPath } from 'node:process'
import { type StartOptions, startEasel, type TestEasel } from '../../client/src/testing/testing.ts'
import { engineFlagsOf } from './engine-flags.ts'
import { programFile } from './harness.ts'

/** The program of the checkout, with the flags of `npm run emulator`. */
export const emulatorCommand: readonly string[] = [
  execPath,
  ...engineFlagsOf('emulator'),
  ...['--import', './scripts/compiled.mjs', programFile('cli/main.ts')],
]

/** Joins the emulator of this process, the real program. */
export function joinEmulator(options: StartOptions = {}): Promise<TestEasel> {
  return startEasel({ command: emulatorCommand, startMs: 600_000, ...options })
}

/** A mail to send to people, for `/messages/send`. */
export function mailTo(external_user_ids: readonly string[], subject: string): object {
  const email = { app_id: 'test-app', subject, from: 'Easel <easel@example.com>', body: `<p>${subject}</p>` }
  return { external_user_ids, messages: { email } }
}
