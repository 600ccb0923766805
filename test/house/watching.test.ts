import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { before, describe } from 'node:test'
import { temporaryFolder } from '../fault/folders.ts'
import { startMailServer } from '../servers/smtp.ts'
import { channelsWorkspace, channelTransports } from '../support/channel-transports.ts'
import { eventually } from '../support/eventually.ts'
import { type Service, startService } from '../support/harness.ts'
import { letter } from '../support/messages.ts'
import { samplesOf, typesOf } from '../support/metrics-text.ts'
import { type Expression, parsePromql, type Selector } from '../support/promql.ts'
import { startSmsProvider } from '../support/sms-provider.ts'
import { readAlerts, readOpsFile } from '../support/watching.ts'

const root = join(import.meta.dirname, '../..')
const severities = ['critical', 'warning']
/** Prometheus adds them to every series. */
const targetLabels = ['job', 'instance']
const alertsMax = 6

type Panel = {
  readonly id: number
  readonly type: string
  readonly title: string
  readonly description?: string
  readonly gridPos: { readonly h: number; readonly w: number; readonly x: number; readonly y: number }
  readonly targets?: readonly { readonly expr: string; readonly datasource: { readonly uid: string } }[]
}
type Variable = { readonly name: string; readonly type: string; readonly query: string | { readonly query: string } }

const dashboard = JSON.parse(readOpsFile('grafana.json'))
const panels: readonly Panel[] = dashboard.panels
const variables: readonly Variable[] = dashboard.templating.list

test('every alert has what Prometheus needs, and a section that says what to do', () => {
  const alerts = readAlerts()
  assert.equal(alerts.length, alertsMax)
  const page = readFileSync(join(root, 'docs/alerts.md'), 'utf8')
  for (const { alert, expr, for: duration, labels, annotations, ...others } of alerts) {
    assert.deepEqual(others, {}, alert)
    assert.match(alert, /^Easel[A-Z]\w+$/)
    assert.ok(duration === undefined || /^\d+[smh]$/.test(duration), alert)
    assert.ok(severities.includes(labels.severity!), alert)
    assert.deepEqual(Object.keys(annotations), ['summary', 'description', 'runbook_url'], alert)
    assert.equal(annotations.runbook_url, `docs/alerts.md#${alert.toLowerCase()}`)
    const [, section] = new RegExp(`\n## ${alert}\n([^]*?)(?=\n## |$)`).exec(page) ?? []
    assert.ok(section, `docs/alerts.md has a section ${alert}`)
    for (const part of ['What it means', 'What to do', 'How to see that it is over']) {
      assert.ok(section.includes(`**${part}**`), `${alert}: ${part}`)
    }
    parsePromql(expr)
  }
})

test('the dashboard can be imported: ids are unique, panels do not overlap, and the data source is a variable', () => {
  assert.equal(dashboard.uid, 'easel')
  assert.ok(dashboard.schemaVersion >= 41)
  assert.deepEqual(
    variables.map(({ name, type }) => [name, type]),
    [
      ['datasource', 'datasource'],
      ['job', 'query'],
      ['instance', 'query'],
    ],
  )
  assert.equal(new Set(panels.map(({ id }) => id)).size, panels.length)
  const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) => {
    assert.ok(x + w <= 24)
    return Array.from({ length: h * w }, (_, i) => `${x + (i % w)},${y + Math.floor(i / w)}`)
  })
  assert.equal(new Set(cells).size, cells.length)
  for (const { type, title, description, targets = [] } of panels) {
    if (type === 'row') continue
    assert.ok(description, title)
    assert.ok(targets.length > 0, title)
    for (const { expr, datasource } of targets) {
      assert.deepEqual(datasource.uid, '$' + '{datasource}')
      for (const { matchers } of selectorsIn(parsePromql(expr))) {
        assert.deepEqual(
          matchers.slice(0, 2).map(({ label, value }) => `${label} ${value}`),
          ['job $job', 'instance $instance'],
          title,
        )
      }
    }
  }
})

describe('the metrics that the files of ops name', () => {
  let exported: Exported
  before(async () => {
    exported = await readExported()
  })

  for (const { alert, expr } of readAlerts()) {
    test(`alert ${alert}`, () => assert.deepEqual(mistakesIn(parsePromql(expr), exported), []))
  }
  for (const { title, targets = [] } of panels) {
    test(`panel ${title}`, () => {
      for (const { expr } of targets) assert.deepEqual(mistakesIn(parsePromql(expr), exported), [])
    })
  }

  test('the variables of the dashboard', () => {
    const queries = variables.flatMap(({ query }) => (typeof query === 'string' ? [] : [query.query]))
    for (const query of queries) {
      const [, selector] = /^label_values\((.*), (?:job|instance)\)$/.exec(query) ?? []
      assert.deepEqual(mistakesIn(parsePromql(selector!), exported), [])
    }
  })

  test('the page about operations has every metric of Easel with its labels, and no other', () => {
    const page = readFileSync(join(root, 'docs/operations.md'), 'utf8')
    const table = page.split('### Metrics')[1]!.split('\n## ')[0]!
    const named = [...table.matchAll(/`(easel_\w+)(?:\{([\w,]*)\})?`/g)].map(
      ([, name, labels]) => [name!, labels ?? ''] as const,
    )
    const own = [...exported.types.keys()].filter((name) => name.startsWith('easel_'))
    assert.deepEqual([...new Set(named.map(([name]) => name))].sort(), own.sort())
    for (const [name, labels] of named) {
      const there = exported.labels.get(name) ?? exported.labels.get(`${name}_count`)
      if (there === undefined || labels === '') continue
      assert.deepEqual(labels.split(',').sort(), [...there].sort(), name)
    }
  })

  for (const [text, mistake] of [
    ['easel_no_such_metric', 'easel_no_such_metric is not exported'],
    ['easel_ready{half="workers"}', 'easel_ready has no label half'],
    ['easel_http_request_seconds', 'easel_http_request_seconds is not exported'],
    ['rate(easel_ready[5m])', 'easel_ready is no counter'],
    ['easel_signals_total[5m]', 'a range belongs to rate or increase'],
    ['rate(easel_signals_total)', 'rate has no range'],
    ['sum by (workspace) (easel_ready)', 'easel_ready has no label workspace'],
    ['histogram_quantile(0.99, sum by (route) (rate(easel_http_request_seconds_bucket[5m])))', 'le is not kept'],
  ] as const) {
    test(`${text} is found to be wrong`, () => assert.deepEqual(mistakesIn(parsePromql(text), exported), [mistake]))
  }
})

type Exported = {
  /** The labels of every sample that has one. */
  readonly labels: ReadonlyMap<string, ReadonlySet<string>>
  readonly types: ReadonlyMap<string, string>
}

/** Counters that have labels only when something has happened. */
const counted = [
  'easel_mail_failures_total',
  'easel_sms_failures_total',
  'easel_messages_total',
  'easel_work_items_total',
]

/** Returns what a service exports after it was used, so that every counter has its labels. */
async function readExported(): Promise<Exported> {
  using folder = temporaryFolder()
  const away = await startMailServer()
  await away.close()
  const provider = await startSmsProvider()
  await provider.close()
  const env = { EASEL_DATA: folder.path, SMTP_URL: away.url, SMS_URL: provider.url }
  await using service = await startService({ env, workspace: channelsWorkspace })
  await use(service)
  let text = ''
  await eventually('messages and work items have ended', async () => {
    text = (await service.get('/metrics', { key: null })).text
    return counted.every((each) => text.includes(`${each}{`))
  })
  const labels = new Map<string, Set<string>>()
  for (const sample of samplesOf(text)) {
    const names = labels.get(sample.name) ?? new Set()
    for (const name of Object.keys(sample.labels)) names.add(name)
    labels.set(sample.name, names)
  }
  return { labels, types: typesOf(text) }
}

async function use(service: Service): Promise<void> {
  const texts = channelTransports.find(({ name }) => name === 'sms')!
  const attributes = [
    { external_id: 'a', email: 'a@example.com' },
    ...[{ external_id: 'b' }, { external_id: 'c' }, { external_id: 'd', ...texts.reachable().attributes }],
  ]
  assert.equal((await service.post('/users/track', { attributes })).status, 201)
  const sent = await service.post('/messages/send', letter({ external_user_ids: ['a', 'b'] }))
  assert.equal(sent.status, 201, sent.text)
  const text = { external_user_ids: ['d'], messages: { sms: texts.content } }
  assert.equal((await service.post('/messages/send', text)).status, 201)
  const merge = { identifier_to_merge: { external_id: 'c' }, identifier_to_keep: { external_id: 'b' } }
  assert.equal((await service.post('/users/merge', { merge_updates: [merge] })).status, 202)
}

/** Returns what is wrong with the metrics and labels of an expression. */
function mistakesIn(tree: Expression, exported: Exported, within?: string): string[] {
  const labelsMissing = (labels: readonly string[], of: Expression) =>
    selectorsIn(of).flatMap(({ name }) =>
      labels.filter((label) => !hasLabel(exported, name, label)).map((label) => `${name} has no label ${label}`),
    )
  switch (tree.kind) {
    case 'number':
      return []
    case 'selector':
      return selectorMistakes(tree, exported, within)
    case 'call': {
      const own = tree.args.flatMap((arg) => mistakesIn(arg, exported, tree.name))
      if (tree.name !== 'histogram_quantile') return own
      const keepsLe = tree.args.some((arg) => arg.kind === 'aggregate' && arg.by.includes('le'))
      return keepsLe ? own : [...own, 'le is not kept']
    }
    case 'aggregate':
      return [...mistakesIn(tree.of, exported), ...labelsMissing(tree.by, tree.of)]
    case 'binary':
      return [
        ...mistakesIn(tree.left, exported),
        ...mistakesIn(tree.right, exported),
        ...labelsMissing(tree.on ?? [], tree),
      ]
  }
}

function selectorMistakes({ name, matchers, range }: Selector, exported: Exported, within?: string): string[] {
  if (!exported.labels.has(name)) return [`${name} is not exported`]
  const base = name.replace(/_(?:bucket|sum|count)$/, '')
  const isCounter = exported.types.get(name) === 'counter' || exported.types.get(base) === 'histogram'
  const isRate = within === 'rate' || within === 'increase'
  return [
    ...(isRate && !isCounter ? [`${name} is no counter`] : []),
    ...(isRate && range === undefined ? [`${within} has no range`] : []),
    ...(!isRate && range !== undefined ? ['a range belongs to rate or increase'] : []),
    ...matchers.flatMap(({ label }) => (hasLabel(exported, name, label) ? [] : [`${name} has no label ${label}`])),
  ]
}

function hasLabel(exported: Exported, name: string, label: string): boolean {
  return targetLabels.includes(label) || exported.labels.get(name)?.has(label) === true
}

function selectorsIn(tree: Expression): Selector[] {
  switch (tree.kind) {
    case 'number':
      return []
    case 'selector':
      return [tree]
    case 'call':
      return tree.args.flatMap(selectorsIn)
    case 'aggregate':
      return selectorsIn(tree.of)
    case 'binary':
      return [...selectorsIn(tree.left), ...selectorsIn(tree.right)]
  }
}
