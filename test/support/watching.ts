import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { type Element, evaluatePromql, type Scrape } from './evaluate-promql.ts'
import { samplesOf } from './metrics-text.ts'
import { alternativesOf, parsePromql } from './promql.ts'

export type Alert = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

const root = join(import.meta.dirname, '../..')

export function readOpsFile(name: string): string {
  return readFileSync(join(root, 'ops', name), 'utf8')
}

/** Returns the alerts of `ops/prometheus-rules.yml`. */
export function readAlerts(): readonly Alert[] {
  const { groups } = parse(readOpsFile('prometheus-rules.yml')) as { groups: { rules: Alert[] }[] }
  return groups.flatMap(({ rules }) => rules)
}

type Readable = { get(path: string, options?: { key: string | null }): Promise<{ status: number; text: string }> }

/** Reads `/metrics` as Prometheus does, and evaluates alerts over what it has read. */
export class Watcher {
  readonly #scrapes: Scrape[] = []
  readonly #target = { job: 'easel', instance: 'one' }

  async scrape(service: Readable): Promise<void> {
    const { status, text } = await service.get('/metrics', { key: null })
    assert.equal(status, 200, text)
    const samples = samplesOf(text).map((each) => ({ ...each, labels: { ...each.labels, ...this.#target } }))
    this.#scrapes.push({ atMs: performance.now(), samples })
  }

  /** A scrape of a process that is not there. */
  miss(): void {
    this.#scrapes.push({ atMs: performance.now(), samples: [] })
  }

  /** Returns the last value of a metric without labels. */
  valueOf(name: string): number {
    const sample = this.#scrapes.at(-1)?.samples.find((each) => each.name === name)
    assert.ok(sample, name)
    return sample.value
  }

  /** Returns what makes an alert fire now, for each operand of its `or`. */
  causesOf(name: string): Element[][] {
    const alert = readAlerts().find((each) => each.alert === name)
    assert.ok(alert, name)
    return alternativesOf(parsePromql(alert.expr)).map((tree) => evaluatePromql(tree, this.#scrapes))
  }

  /** Returns the names of the alerts that fire now. */
  firing(): string[] {
    return readAlerts().flatMap(({ alert, expr }) =>
      evaluatePromql(parsePromql(expr), this.#scrapes).length > 0 ? [alert] : [],
    )
  }
}
