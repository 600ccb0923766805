import { join } from 'node:path'
import { execPath } from 'node:process'
import { type StartOptions, startEasel, type TestEasel } from '../../client/src/testing/testing.ts'
import { prepareBundle } from '../../scripts/prepare-bundle.mjs'
import { engineFlagsOf } from './engine-flags.ts'

// A single file of tests runs the program as it is now, too.
const lines: string[] = []
const isBuilt = await prepareBundle(join(import.meta.dirname, '../..'), execPath, (line: string) => lines.push(line))
if (!isBuilt) throw new Error(lines.join('\n'))

/** The program of the checkout, as `npm run emulator` starts it. */
export const emulatorCommand: readonly string[] = [
  execPath,
  ...engineFlagsOf('emulator'),
  ...['--import', './scripts/compiled.mjs', 'scripts/run.mjs'],
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
