import { ConfigError, readConfig } from '../src/base/config.ts'
import { loadRootSecrets } from '../src/base/root-secrets.ts'
import { rotateSecrets } from '../src/messaging/drafts/rotate-secrets.ts'
import type { Verb, VerbGroup } from './command.ts'
import { withCall } from './database.ts'

const rotate: Verb = {
  description: `Encrypt stored secrets under another root secret. Encrypts passwords, private keys and secret headers again, with a new
key that only the first secret of EASEL_SECRET (or of the file EASEL_SECRET_FILE) opens.`,
  notes: `To replace the root secret:

  1. set EASEL_SECRET=NEW,OLD for every process and restart them;
  2. run this command with the same EASEL_SECRET;
  3. set EASEL_SECRET=NEW and restart them.

The first root secret of an installation needs steps 1 and 2, with NEW alone. The command opens the database of the
environment. Stop the server first when it uses the embedded database.`,
  async run(_, __, shell) {
    const config = readConfig(shell.env)
    const [current] = loadRootSecrets(config)
    if (current === undefined) throw new ConfigError('EASEL_SECRET: no value was given, but secrets rotate needs one')
    const key_id = await withCall(shell, config, (call) => rotateSecrets(call, current))
    const text = `All secrets are encrypted under the root secret with the key id ${key_id}.`
    return { result: { key_id }, text }
  },
}

export const secretsVerbs: VerbGroup = {
  description: 'Encrypt stored secrets under another root secret.',
  verbs: { rotate },
}
