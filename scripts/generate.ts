import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startApp } from '../src/app.ts'
import { readConfig, variables } from '../src/base/config.ts'
import type { Db } from '../src/base/db/db.ts'
import { configSections } from '../src/config-sections.ts'
import { allChannels } from '../src/messaging/channels/channels.ts'
import { fileJsonSchema } from '../src/workspace/file/schema.ts'
import { readTree } from '../test/structure/source.ts'
import { writersOf } from '../test/structure/tables.ts'
import { printChannels } from './channels.ts'
import { printClient, printSettings, sharedTypes } from './client.ts'
import { clientPackage } from './client-package.ts'
import { compatibilityPage, readKnownPaths, type ServedPath } from './compatibility.ts'
import { printFlowShapes } from './flow-shapes.ts'
import type { OpenApi } from './print-type.ts'
import { withoutReferences } from './references.ts'
import { printSchema } from './schema.ts'
import { printViews } from './sql-views.ts'

const lineWidth = 100
const jsonColumns = 120

if (import.meta.main) {
  for (const [path, text] of Object.entries(await generate())) {
    writeFileSync(join(import.meta.dirname, '..', path), text)
  }
}

/** Returns a file of the server that a browser can run as well, because it imports nothing. */
function copyForBrowser(path: string): string {
  return `// Copied from ${path} by \`npm run generate\`.\n\n${readFileSync(join(import.meta.dirname, '..', path), 'utf8')}`
}

/** Returns the generated files by path. A test compares them with the committed files. */
export async function generate(): Promise<Readonly<Record<string, string>>> {
  let schema = ''
  let views = ''
  const config = readConfig({ EASEL_DATA: 'memory', PORT: '0', EASEL_LOG: 'silent' })
  const opened = async (db: Db) => {
    schema = await printSchema(db)
    views = await printViews(db)
  }
  const app = await startApp(config, { opened })
  try {
    const answer = await fetch(`${app.url}/openapi.json`)
    const described = (await answer.json()) as OpenApi
    const openapi = `${formatJson(described)}\n`
    return {
      '.env.example': exampleEnvironment(),
      ...clientPackage(described),
      'dashboard/src/api/channels.ts': printChannels(allChannels()),
      'dashboard/src/api/flow-shapes.ts': printFlowShapes(described),
      'dashboard/src/api/generated.ts': printClient(withoutReferences(described, sharedTypes) as OpenApi),
      'dashboard/src/api/segments.ts': copyForBrowser('src/messaging/channels/sms/segments.ts'),
      'dashboard/src/api/settings-schema.ts': printSettings(withoutReferences(described) as OpenApi),
      'docs/compatibility.md': compatibilityPage(readKnownPaths(), servedPaths(described)),
      'docs/sql-views.md': views,
      'docs/tables.md': tablesPage(),
      'openapi.json': openapi,
      'schema.sql': schema,
      'workspace-file.schema.json': `${formatJson(fileJsonSchema(configSections))}\n`,
    }
  } finally {
    await app.close()
  }
}

function servedPaths({ paths }: OpenApi): ServedPath[] {
  return Object.entries(paths).flatMap(([path, methods]) => {
    return Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path }))
  })
}

/** Formats JSON with each value on one line if it fits, so that diffs are short. */
function formatJson(value: unknown, indent = ''): string {
  const flat = JSON.stringify(value)
  if (typeof value !== 'object' || value === null || indent.length + flat.length <= jsonColumns) return flat
  const deeper = `${indent}  `
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  const parts = Array.isArray(value)
    ? value.map((each) => formatJson(each, deeper))
    : Object.entries(value).map(([name, each]) => `${JSON.stringify(name)}: ${formatJson(each, deeper)}`)
  return `${open}\n${parts.map((part) => deeper + part).join(',\n')}\n${indent}${close}`
}

/** Returns the page that lists the room that writes each table. The structure test allows one room. */
function tablesPage(): string {
  const writers = writersOf(readTree(join(import.meta.dirname, '..'), []))
  const rows = [...writers]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([table, rooms]) => {
      return `| \`${table}\` | ${[...rooms].map((room) => `\`${room}\``).join(', ')} |`
    })
  const head = [
    '# Tables',
    '',
    'Each table is written by one room of `src`. Written by `npm run generate`; `schema.sql` has the columns.',
    '',
  ]
  return `${[...head, '| table | written by |', '|---|---|', ...rows].join('\n')}\n`
}

function exampleEnvironment(): string {
  const head =
    'All settings of Easel. Copy this file to .env, which npm start reads, and remove the # from the lines you change. ' +
    'Written by npm run generate from src/base/config.ts.'
  const parts = Object.values(variables).map((variable) => {
    const otherwise = 'preset' in variable ? [] : [`Without it: ${variable.unset}.`]
    const sentences = [variable.meaning, `Accepted: ${variable.accepts}.`, ...otherwise]
    return `${sentences.map(comment).join('\n')}\n# ${variable.name}=${'preset' in variable ? variable.preset : ''}`
  })
  return `${[comment(head), ...parts].join('\n\n')}\n`
}

function comment(words: string): string {
  const lines = ['#']
  for (const word of words.split(' ')) {
    if (lines.at(-1)!.length + word.length >= lineWidth) lines.push('#')
    lines.push(`${lines.pop()} ${word}`)
  }
  return lines.join('\n')
}
