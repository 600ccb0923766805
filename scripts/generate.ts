import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { variables } from '../src/base/config.ts'

const lineWidth = 100

/** The files that are written from others, by their path; a test compares them with what is checked in. */
export const generated: Readonly<Record<string, () => string>> = {
  '.env.example': exampleEnvironment,
}

if (import.meta.main) {
  for (const [path, write] of Object.entries(generated)) writeFileSync(join(import.meta.dirname, '..', path), write())
}

function exampleEnvironment(): string {
  const head =
    'Every setting of Easel. Copy this file to .env, which npm start reads, and take the # away from the lines you change. ' +
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
