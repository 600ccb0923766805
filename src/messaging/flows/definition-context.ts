import { finderByIdOrName } from '../../audience/segments/nesting.ts'
import type { OtherSections } from '../../workspace/file/config-section.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import type { StoredCredential } from '../mail/secret-schema.ts'
import { emailMistakes, readEmailObject } from './read-email.ts'
import type { DefinitionContext } from './read-values.ts'

/** Returns what a new definition may name: the segments, apps, templates and credentials of the workspace file. */
export function definitionContext(settings: Settings, others: OtherSections): DefinitionContext {
  const findSegment = finderByIdOrName(others('segments'))
  const credentials = others('credentials') as readonly StoredCredential[]
  const mail = {
    settings,
    apps: sectionIds(others, 'apps'),
    templates: sectionIds(others, 'email_templates'),
    origins: new Map(credentials.map(({ name, origins }) => [name, origins])),
  }
  return {
    patternMax: settings.regex_characters_max,
    credentialOrigins: mail.origins,
    hasSegment: (idOrName) => findSegment(idOrName) !== undefined,
    readEmail: (value, path) => readEmailObject(value, path, mail),
    emailMistakes: (value, path) => emailMistakes(value, path, mail),
  }
}

function sectionIds(others: OtherSections, section: string): ReadonlySet<string> {
  return new Set(others(section).map(({ id }) => id))
}
