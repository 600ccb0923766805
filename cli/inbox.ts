import { askAdmin, openAdminClient, queryOf } from './ask-admin.ts'
import type { Client } from './client.ts'
import type { Outcome, Verb } from './command.ts'
import { urlOption, workspaceOption } from './options.ts'
import { tableOf } from './table.ts'

type Options = { readonly to?: string; readonly person?: string; readonly workspace?: string; readonly url?: string }

type Listed = { readonly id: string; readonly at: string; readonly to: string; readonly subject: string }
type Mail = Listed & {
  readonly from: string | null
  readonly html: string | null
  readonly text: string | null
  readonly attachments: readonly { readonly filename: string | null; readonly bytes: number }[]
}

export const inboxVerb: Verb<Options> = {
  description: `List the mails in the inbox, or print one. Without a mail server, mail is delivered to the inbox. The 50 newest mails
are listed.`,
  notes: 'The command uses the server at HOST and PORT with EASEL_ADMIN_TOKEN.',
  define: (command) => {
    command
      .argument('[id]', 'the id of a mail')
      .option('--to <address>', 'only mails to this address')
      .option('--person <id>', 'only mails to the person with this external_id')
      .addOption(workspaceOption())
      .addOption(urlOption())
  },
  run: ([id], options, shell) => {
    const client = openAdminClient(shell, options.url)
    return id === undefined ? list(client, options) : show(client, id, options)
  },
}

async function list(client: Client, { to, person: external_id, workspace }: Options): Promise<Outcome> {
  const result = await askAdmin(client, 'GET', `/admin/inbox${queryOf({ to, external_id, workspace })}`)
  const mails = result.messages as readonly Listed[]
  if (mails.length === 0) return { result, text: 'There is no mail in the inbox.' }
  const rows = mails.map(({ id, at, to: recipient, subject }) => [id, at, recipient, subject])
  const more = result.cursor === undefined ? '' : '\nThere are older mails.'
  return { result, text: `${tableOf([['ID', 'AT', 'TO', 'SUBJECT'], ...rows])}${more}` }
}

async function show(client: Client, id: string, { workspace }: Options): Promise<Outcome> {
  const result = await askAdmin(client, 'GET', `/admin/inbox/${encodeURIComponent(id)}${queryOf({ workspace })}`)
  const { from, to, subject, at, text, html, attachments } = result as unknown as Mail
  const files = attachments.map(({ filename, bytes }) => `Attachment: ${filename ?? 'without a name'}, ${bytes} bytes`)
  const head = [`From: ${from ?? ''}`, `To: ${to}`, `Subject: ${subject}`, `At: ${at}`, ...files]
  return { result, text: [...head, '', (text ?? html ?? '').trimEnd()].join('\n') }
}
