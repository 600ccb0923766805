import { askAdmin, openAdminClient, queryOf } from './ask-admin.ts'
import { type Outcome, UsageError, type Verb } from './command.ts'
import { urlOption, workspaceOption } from './options.ts'
import { tableOf } from './table.ts'

type Options = {
  readonly email?: string
  readonly alias?: string
  readonly dispatch?: string
  readonly canvas?: string
  readonly campaign?: string
  readonly workspace?: string
  readonly url?: string
}

/** The parts of an answer of `/admin/why` that are printed. */
type Flow = { readonly kind: string; readonly id: string; readonly step: string | null } | null
type Decision = {
  readonly at: string
  readonly channel: string | null
  readonly reason: string
  readonly because: string
  readonly flow: Flow
}
type Open = {
  readonly channel: string | null
  readonly waits_for: string
  readonly until: string | null
  readonly flow: Flow
}
type Entry = {
  readonly state: string
  readonly because: string | null
  readonly step: string | null
  readonly entered_at: string
}
type Answer = {
  readonly because?: string
  readonly entries?: readonly Entry[]
  readonly never_entered?: readonly { readonly because?: string }[]
  readonly open: readonly Open[]
  readonly decisions: readonly Decision[]
}

export const whyVerb: Verb<Options> = {
  description: 'Explain why a person got a message or did not: what was decided, and what is still open.',
  notes: `The command uses the server at HOST and PORT with EASEL_ADMIN_TOKEN. --json has the rules and what they read.`,
  define: (command) => {
    command
      .argument('[person]', 'the external_id of the person')
      .option('--email <address>', 'instead of an external_id: everybody with this address')
      .option('--alias <alias>', 'instead of an external_id: label:name')
      .option('--dispatch <id>', 'only this order, or everybody in it')
      .option('--canvas <id>', 'only the entries of this canvas')
      .option('--campaign <id>', 'only the entries of this campaign')
      .addOption(workspaceOption())
      .addOption(urlOption())
  },
  async run([external_id], options, shell): Promise<Outcome> {
    const { email, alias: user_alias, dispatch: dispatch_id, canvas, campaign, workspace, url } = options
    const named = [external_id, email, user_alias].filter((each) => each !== undefined)
    if (named.length > 1) throw new UsageError('why takes one of a person, --email and --alias.')
    if (named.length === 0 && dispatch_id === undefined) throw new UsageError('why takes a person or --dispatch.')
    const query = { external_id, email, user_alias, dispatch_id, canvas_id: canvas, campaign_id: campaign, workspace }
    const result = await askAdmin(openAdminClient(shell, url), 'GET', `/admin/why${queryOf(query)}`)
    return { result, text: textOf(result as unknown as Answer) }
  },
}

function textOf({ because, entries = [], never_entered = [], open, decisions }: Answer): string {
  const rows = [
    ...entries.map(({ entered_at, state, step, because: why }) => [entered_at, step ?? '', state, why ?? '']),
    ...open.map(({ channel, waits_for, until, flow }) => [
      until ?? 'open',
      placeOf(flow, channel),
      'open',
      `waits for ${waits_for}`,
    ]),
    ...decisions.map(({ at, channel, reason, because: why, flow }) => [at, placeOf(flow, channel), reason, why]),
  ]
  const sentences = [because, ...never_entered.map((each) => each.because)].filter((each) => each !== undefined)
  const table = rows.length === 0 ? [] : [tableOf([['AT', 'ABOUT', 'REASON', 'BECAUSE'], ...rows])]
  return [...table, ...sentences].join('\n')
}

/** Returns a text such as `canvas welcome, step hello`; the channel of a message without a flow. */
function placeOf(flow: Flow, channel: string | null): string {
  if (flow === null) return channel ?? ''
  return `${flow.kind} ${flow.id}${flow.step === null ? '' : `, step ${flow.step}`}`
}
