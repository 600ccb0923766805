import { Liquid } from 'liquidjs'
import type { TemplateVariables } from '../src/content/liquid/variables.ts'
import type { RenderingSources } from '../src/content/rendering/answer-queries.ts'
import { openRenderer, type Renderer } from '../src/content/rendering/renderer.ts'
import { familyUs } from './cpu.ts'
import { type Effort, median } from './measure.ts'
import { Random } from './random.ts'
import type { Figure } from './report.ts'

const pagePeople = 1_000
const rounds = 11
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
/** The name of the figure of the engine alone. */
export const boundRenderName = 'bound: liquidjs alone'
export const renderName = 'render'

const mailOf = (parts: readonly string[]) => parts.map((part) => part + filling).join('\n')
const mail = { subject: 'Hi {{${first_name}}}', body: mailOf(dialect) }

/** What is measured. */
type Subject = { readonly what: string; renderPage(): Promise<void> }

/**
 * Measures mails rendered a second, by one process and by all, with the engine alone in this process as the bound. Each round measures all
 * of them, because the speed of a machine changes within minutes. `nodeUs` has the processes that render in it.
 */
export async function benchRender(effort: Effort): Promise<Figure[]> {
  const random = new Random(7)
  const people = Array.from({ length: pagePeople }, (_, i) => personAt(i, random))
  const alone = new Liquid()
  const nodes = alone.parse(mailOf(plain))
  const scopes = people.map(({ standard: p, custom: c, event_properties: e }) => ({ p, c, e }))
  const [one, all] = [openRenderer({ sources, processes: 1 }), openRenderer({ sources })]
  const figures = await measureInTurns(effort, [
    {
      what: boundRenderName,
      async renderPage() {
        for (const scope of scopes) use(alone.renderSync(nodes, scope))
      },
    },
    {
      what: 'bound: liquidjs alone, asynchronous',
      async renderPage() {
        for (const scope of scopes) use(await alone.render(nodes, scope))
      },
    },
    { what: 'render, one process', renderPage: () => renderBy(one, people) },
    { what: renderName, renderPage: () => renderBy(all, people) },
  ])
  await Promise.all([one.close(), all.close()])
  return figures
}

/** V8 concatenates a string only when it is read. */
function use(text: string): void {
  if (Buffer.byteLength(text) < filling.length) throw new Error('a rendered text of the benchmark is too short')
}

async function renderBy(renderer: Renderer, people: readonly TemplateVariables[]): Promise<void> {
  const rendered = await renderer.renderMany(mail, people, { workspace_id: 1, nowMs })
  for (const one of rendered) {
    if (one.outcome !== 'rendered') throw new Error(`a text of the benchmark was not rendered: ${JSON.stringify(one)}`)
    use(one.texts.body!)
  }
}

/** Measures all in each round, after a warm-up, and returns the medians. */
async function measureInTurns(effort: Effort, subjects: readonly Subject[]): Promise<Figure[]> {
  const measured = subjects.map((subject) => ({ subject, rates: [] as number[], costsUs: [] as number[] }))
  const roundMs = effort.measureMs / rounds / 2
  for (const { renderPage } of subjects) await renderFor(roundMs, renderPage)
  for (let round = 0; round < rounds; round++) {
    for (const { subject, rates, costsUs } of measured) {
      const { rate, costUs } = await renderFor(roundMs, subject.renderPage)
      rates.push(rate)
      costsUs.push(costUs)
    }
  }
  return measured.map(({ subject, rates, costsUs }) => ({
    ...{ what: subject.what, database: 'none' },
    ...{ value: median(rates), unit: 'renders/s', nodeUs: median(costsUs) },
  }))
}

async function renderFor(spanMs: number, renderPage: Subject['renderPage']): Promise<{ rate: number; costUs: number }> {
  const startMs = performance.now()
  const startUs = familyUs(process.pid)
  let count = 0
  do {
    await renderPage()
    count += pagePeople
  } while (performance.now() < startMs + spanMs)
  return {
    rate: (count * 1000) / (performance.now() - startMs),
    costUs: (familyUs(process.pid) - startUs) / count,
  }
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
