import { finderByIdOrName } from '../../audience/segments/nesting.ts'
import type { OtherSections } from '../../workspace/file/config-section.ts'
import type { Settings } from '../../workspace/settings/settings.ts'
import { allChannels } from '../channels/channels.ts'
import type { StoredCredential } from '../mail/secret-schema.ts'
import type { DefinitionContext } from './read-values.ts'

/** Returns what a new definition may name: the segments, apps, templates and credentials of the workspace file. */
export function definitionContext(settings: Settings, others: OtherSections): DefinitionContext {
  const findSegment = finderByIdOrName(others('segments'))
  const credentials = others('credentials') as readonly StoredCredential[]
  const readers = new Map(
    allChannels().map(({ name, content }) => [name, content.forDefinition({ settings, others })] as const),
  )
  return {
    patternMax: settings.regex_characters_max,
    credentialOrigins: new Map(credentials.map(({ name, origins }) => [name, origins])),
    hasSegment: (idOrName) => findSegment(idOrName) !== undefined,
    readContent: (channel, value, path) => readers.get(channel)!.read(value, path),
    contentMistakes: (channel, value, path) => readers.get(channel)!.mistakes(value, path),
  }
}
