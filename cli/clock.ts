import { askAdmin, openAdminClient } from './ask-admin.ts'
import type { Verb } from './command.ts'
import { urlOption } from './options.ts'

type Options = { readonly url?: string }
type Reading = { readonly now: string; readonly clock: string; readonly stopped?: string }

export const clockVerb: Verb<Options> = {
  description: `Read or move the clock of the server. What becomes due on the way is done before the command ends. Only a virtual clock
moves (EASEL_CLOCK=virtual), and never back.`,
  notes: 'The command uses the server at HOST and PORT with EASEL_ADMIN_TOKEN.',
  define: (command) => {
    command
      .argument('[move]', 'a duration such as P3D or PT90M, or an instant such as 2030-01-31T09:00:00Z')
      .addOption(urlOption())
  },
  async run([move], { url }, shell) {
    const client = openAdminClient(shell, url)
    const body = move?.startsWith('P') ? { advance: move } : { now: move }
    const result =
      move === undefined
        ? await askAdmin(client, 'GET', '/admin/clock')
        : await askAdmin(client, 'POST', '/admin/clock', body)
    const { now, clock, stopped } = result as unknown as Reading
    const text = `${now} (${clock} clock)${stopped === undefined ? '' : `\nStopped: ${stopped}`}`
    return { result, text, failed: stopped !== undefined }
  },
}
