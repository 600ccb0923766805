import { readConfig } from '../src/base/config.ts'
import { Failure } from '../src/base/errors.ts'
import { nextCursorHeader } from '../src/people/feed/schema.ts'
import { queryOf } from './ask-admin.ts'
import { originIn } from './client.ts'
import { type Outcome, UsageError, type Verb } from './command.ts'
import { urlOption, workspaceOption } from './options.ts'

type Options = {
  readonly cursor?: string
  readonly types?: string
  readonly follow?: true
  readonly workspace?: string
  readonly url?: string
}

/** How long a request of `--follow` waits for the next event, in seconds. */
const waitSeconds = '20'

export const feedVerb: Verb<Options> = {
  description:
    'Print the feed of events as JSON lines, each with the cursor behind it. Without --follow it ends with the last event.',
  notes: 'The command uses the server at HOST and PORT with EASEL_ADMIN_TOKEN.',
  define: (command) => {
    command
      .option('--cursor <cursor>', 'only events behind this cursor; end: from now on')
      .option('--types <types>', 'only events of these types, with commas between')
      .option('--follow', 'wait for further events until the command is stopped')
      .addOption(workspaceOption())
      .addOption(urlOption())
  },
  async run(_, { cursor, types, follow, workspace, url }, shell): Promise<Outcome> {
    const config = readConfig(shell.env)
    const origin = url ?? originIn(config)
    const { adminToken } = config
    if (adminToken === undefined)
      throw new UsageError(`EASEL_ADMIN_TOKEN must be set to the admin token of the server at ${origin}.`)
    let next = cursor
    let events = 0
    for (;;) {
      const query = queryOf({ cursor: next, types, workspace, limit: '1000', ...(follow && { wait: waitSeconds }) })
      const page = await readPage(`${origin}/admin/feed${query}`, adminToken)
      shell.stdout.write(page.text)
      events += page.text.split('\n').length - 1
      const isEnd = page.text === ''
      next = page.next
      if (isEnd && !follow) return { result: { events, cursor: next } }
    }
  },
}

async function readPage(url: string, token: string): Promise<{ text: string; next: string }> {
  const answer = await fetch(url, { headers: { Authorization: `Bearer ${token}` } }).catch((error: unknown) => {
    throw new Failure('unavailable', `no server answers at ${new URL(url).origin}`, {}, error)
  })
  const text = await answer.text()
  if (answer.ok) return { text, next: answer.headers.get(nextCursorHeader) ?? '' }
  const { message } = JSON.parse(text) as { message?: string }
  throw new Failure('invalid', message ?? `the server answered ${answer.status}`)
}
