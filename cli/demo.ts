import { askAdmin, openAdminClient } from './ask-admin.ts'
import type { Verb } from './command.ts'
import { urlOption } from './options.ts'

/** It takes seconds, and on a machine that is busy with other work minutes. */
const timeoutMs = 15 * 60_000

type Options = { readonly url?: string }

export const demoVerb: Verb<Options> = {
  description: `Make the workspace demo on the server: a thousand invented people of a shop, and what happened in 90 days. Its mail
never goes to a mail server. It takes a few seconds. When there is a workspace demo already, nothing is changed.`,
  notes: 'The command uses the server at HOST and PORT with EASEL_ADMIN_TOKEN.',
  define: (command) => {
    command.addOption(urlOption())
  },
  async run(_, { url }, shell) {
    const client = openAdminClient(shell, url, timeoutMs)
    const result = await askAdmin(client, 'POST', '/admin/demo')
    const { people, events, purchases } = result as { people: number; events: number; purchases: number }
    const made = `The workspace demo is made: ${people} people, ${events} events, ${purchases} purchases.`
    return { result, text: `${made}\nLook at ${client.origin}/dashboard/w/demo` }
  },
}
