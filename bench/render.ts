import { Liquid } from 'liquidjs'
import type { TemplateVariables } from '../src/content/liquid/variables.ts'
import type { RenderingSources } from '../src/content/rendering/answer-queries.ts'
import { openRenderer } from '../src/content/rendering/renderer.ts'
import { type Effort, median } from './measure.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'

const pagePeople = 1_000
const rounds = 5
const nowMs = Date.UTC(2026, 10, 20, 9, 57)

/** A typical mail of ten kilobytes: a greeting, a condition, a list, a date, a link. */
const dialect = [
  'Hi {{${first_name} | default: "there"}},',
  '{% if {{custom_attribute.${plan}}} == "gold" %}points: {{custom_attribute.${points}}}{% else %}join us{% endif %}',
  '{% for item in {{event_properties.${items}}} %}<tr><td>{{item.name | escape}}</td><td>{{item.price}}</td></tr>{% endfor %}',
  '<p>Until {{"now" | date: "%d.%m.%Y"}}</p><a href="https://example.com/?u={{${user_id} | url_encode}}">Go</a>',
]
/** The same mail for the engine alone. */
const plain = [
  'Hi {{p.first_name | default: "there"}},',
  '{% if c.plan == "gold" %}points: {{c.points}}{% else %}join us{% endif %}',
  '{% for item in e.items %}<tr><td>{{item.name | escape}}</td><td>{{item.price}}</td></tr>{% endfor %}',
  '<p>Until {{"now" | date: "%d.%m.%Y"}}</p><a href="https://example.com/?u={{p.external_id | url_encode}}">Go</a>',
]
const filling = '<p style="margin:0">A paragraph that is the same for everybody, as most of a mail is.</p>\n'.repeat(28)
const mailOf = (parts: readonly string[]) => parts.map((part) => part + filling).join('\n')

/** Measures mails rendered a second, by one process and by all, with the engine alone in this process as the bound. */
export async function benchRender(effort: Effort): Promise<Figure[]> {
  const random = new Random(7)
  const people = Array.from({ length: pagePeople }, (_, i) => personAt(i, random))
  const alone = new Liquid()
  const nodes = alone.parse(mailOf(plain))
  const scopes = people.map(({ standard: p, custom: c, event_properties: e }) => ({ p, c, e }))
  return [
    await figure('bound: liquidjs alone', effort, async () => {
      for (const scope of scopes) use(alone.renderSync(nodes, scope))
    }),
    await figure('bound: liquidjs alone, asynchronous', effort, async () => {
      for (const scope of scopes) use(await alone.render(nodes, scope))
    }),
    await byProcesses('render, one process', effort, people, 1),
    await byProcesses('render', effort, people),
  ]
}

/** V8 concatenates a string only when it is read. */
function use(text: string): void {
  if (Buffer.byteLength(text) < filling.length) throw new Error('a rendered text of the benchmark is too short')
}

async function byProcesses(
  what: string,
  effort: Effort,
  people: readonly TemplateVariables[],
  processes?: number,
): Promise<Figure> {
  const renderer = openRenderer({ sources, ...(processes !== undefined && { processes }) })
  const mail = { subject: 'Hi {{${first_name}}}', body: mailOf(dialect) }
  const measured = await figure(what, effort, async () => {
    const rendered = await renderer.renderMany(mail, people, { workspace_id: 1, nowMs })
    for (const one of rendered) {
      if (one.outcome !== 'rendered')
        throw new Error(`a text of the benchmark was not rendered: ${JSON.stringify(one)}`)
      use(one.texts.body!)
    }
  })
  await renderer.close()
  return measured
}

/** Returns the median of several rounds, after a warm-up round. */
async function figure(what: string, effort: Effort, page: () => Promise<void>): Promise<Figure> {
  await page()
  const rates: number[] = []
  const costsUs: number[] = []
  for (let round = 0; round < rounds; round++) {
    const startMs = performance.now()
    const endMs = startMs + effort.measureMs / rounds / 2
    const startCpu = process.cpuUsage()
    let count = 0
    do {
      await page()
      count += pagePeople
    } while (performance.now() < endMs)
    rates.push((count * 1000) / (performance.now() - startMs))
    // The CPU time of this process, without those that render.
    const { user, system } = process.cpuUsage(startCpu)
    costsUs.push((user + system) / count)
  }
  return { what, database: 'none', value: median(rates), unit: 'renders/s', nodeUs: median(costsUs) }
}

function personAt(i: number, random: Random): TemplateVariables {
  return {
    standard: { external_id: `user-${i}`, first_name: `Ann ${i}`, email: `ann${i}@example.com`, home_city: 'Oslo' },
    custom: {
      plan: random.below(2) === 0 ? 'gold' : 'basic',
      points: random.below(1_000_000),
      ...Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`attribute_${n}`, random.below(1000)])),
    },
    event_properties: {
      items: Array.from({ length: 5 }, (_, n) => ({ name: `Thing <${n}>`, price: random.below(10_000) / 100 })),
    },
  }
}

/** The mail uses no other sources. */
const sources: RenderingSources = {
  catalogItems: async () => undefined,
  catalogSelection: async () => undefined,
  contentBlocks: async (_workspace, names) => names.map(() => undefined),
  fetch: async () => undefined,
}
