import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse, parseAllDocuments, stringify } from 'yaml'
import { GoTemplates, isTrue } from './go-template.ts'

export type Values = { readonly [name: string]: unknown }
/** An object that is sent to a cluster. */
// biome-ignore lint/suspicious/noExplicitAny: the objects of a cluster have many shapes, and the tests read single members.
export type Manifest = Readonly<Record<string, any>>
export type Rendered = { readonly manifests: readonly Manifest[]; readonly notes: string }

export const chartFolder = join(import.meta.dirname, '../../ops/helm')
export const chartInfo = parse(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')) as Record<string, string>
export const chartValues = parse(readFileSync(join(chartFolder, 'values.yaml'), 'utf8')) as Values
export const chartSchema = JSON.parse(readFileSync(join(chartFolder, 'values.schema.json'), 'utf8'))
/** The texts of the templates by name; files of definitions come first, as in Helm. */
export const chartTemplates: ReadonlyMap<string, string> = new Map(
  readdirSync(join(chartFolder, 'templates'))
    .sort((a, b) => Number(b.startsWith('_')) - Number(a.startsWith('_')) || a.localeCompare(b))
    .map((name) => [name, readFileSync(join(chartFolder, 'templates', name), 'utf8')]),
)

const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
const indented = (spaces: number, value: string) => value.replaceAll(/^/gm, ' '.repeat(spaces))

/** Sorts the members of objects, as Go does. */
const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort()
      .map(([name, member]) => [name, sorted(member)]),
  )
}

/** The functions of Helm that the chart calls. */
const functions = {
  and: (...values: readonly unknown[]) => values.find((value) => !isTrue(value)) ?? values.at(-1),
  default: (preset: unknown, value: unknown) => (isTrue(value) ? value : preset),
  dict: (...entries: readonly unknown[]) => {
    assert.equal(entries.length % 2, 0, 'dict needs a value for each name')
    return Object.fromEntries(entries.flatMap((name, i) => (i % 2 === 0 ? [[name, entries[i + 1]]] : [])))
  },
  div: (a: unknown, b: unknown) => Math.trunc(Number(a) / Number(b)),
  eq: (a: unknown, b: unknown) => a === b,
  nindent: (spaces: unknown, value: unknown) => `\n${indented(Number(spaces), String(value))}`,
  not: (value: unknown) => !isTrue(value),
  or: (...values: readonly unknown[]) => values.find(isTrue) ?? values.at(-1),
  printf: (form: unknown, ...values: readonly unknown[]) => {
    const rest = [...values]
    const printed = String(form).replaceAll('%s', () => String(rest.shift()))
    assert.ok(!printed.includes('%') && rest.length === 0, `printf ${String(form)}: only %s, one for each value`)
    return printed
  },
  quote: (value: unknown) => JSON.stringify(text(value)),
  required: (message: unknown, value: unknown) => {
    if (value === undefined || value === null || value === '') throw new Error(String(message))
    return value
  },
  sha256sum: (value: unknown) => createHash('sha256').update(String(value)).digest('hex'),
  toJson: (value: unknown) => JSON.stringify(sorted(value)),
  toYaml: (value: unknown) => stringify(value).trimEnd(),
  trimSuffix: (suffix: unknown, value: unknown) =>
    String(value).endsWith(String(suffix)) ? String(value).slice(0, -String(suffix).length) : value,
  trunc: (length: unknown, value: unknown) => String(value).slice(0, Number(length)),
}

/** Renders the chart as `helm template NAME ops/helm --values FILE` does, with `values` over those of the chart. */
export function renderChart(values: Values, name = 'shop'): Rendered {
  const templates = new GoTemplates(functions)
  const context = {
    Values: merged(chartValues, values),
    Chart: { Name: chartInfo.name, Version: chartInfo.version, AppVersion: chartInfo.appVersion },
    Release: { Name: name, Namespace: 'engage', Service: 'Helm' },
  }
  const texts = [...chartTemplates].map(
    ([file, template]) => [file, templates.render(file, template, context)] as const,
  )
  return {
    manifests: texts.flatMap(([file, rendered]) => (file.endsWith('.yaml') ? manifestsIn(file, rendered) : [])),
    notes: texts.find(([file]) => file === 'NOTES.txt')![1],
  }
}

/** Reads the objects in a text of YAML. A document without content is left out, as in Helm. */
export function manifestsIn(name: string, yaml: string): Manifest[] {
  return [...parseAllDocuments(yaml, { strict: true, uniqueKeys: true })].flatMap((document) => {
    assert.deepEqual(document.errors, [], `${name}:\n${yaml}`)
    const value = document.toJS() as Manifest | null
    return value === null ? [] : [value]
  })
}

function merged(base: Values, over: Values): Values {
  const isMap = (value: unknown): value is Values =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
  const names = [...new Set([...Object.keys(base), ...Object.keys(over)])]
  return Object.fromEntries(
    names.map((name) => {
      const [a, b] = [base[name], over[name]]
      if (isMap(a) && isMap(b)) return [name, merged(a, b)]
      return [name, name in over ? b : a]
    }),
  )
}
