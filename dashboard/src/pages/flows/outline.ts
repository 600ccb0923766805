/** A way out of a step: the name of its path, the path in words, and the name of the next step. `to` undefined: the end. */
export type Way = { readonly path: string; readonly when: string; readonly to: string | undefined }

/** A step in words, and where people go from it. */
export type OutlinedStep = {
  readonly id: string
  readonly name: string
  readonly what: string
  readonly ways: readonly Way[]
}

type Members = Readonly<Record<string, unknown>>

/**
 * Returns the steps of a canvas, or the messages of a campaign, in the order of the definition. A definition that is stored was checked by
 * the server; what is not understood here is left out.
 */
export function outlineOf(definition: Members): OutlinedStep[] {
  const steps = listOf(definition.steps ?? definition.messages)
  const names = new Map(steps.map((step) => [textOf(step.id), nameOf(step)]))
  return steps.map((step) => {
    const ways = waysOf(step).map(({ path, when, to }) => {
      return { path, when, to: to === undefined ? undefined : (names.get(to) ?? to) }
    })
    return { id: textOf(step.id), name: nameOf(step), what: whatOf(step), ways }
  })
}

function nameOf(step: Members): string {
  return textOf(step.name) || textOf(step.id)
}

function whatOf(step: Members): string {
  const mail = objectOf(step.message ?? step.email)
  switch (step.type) {
    case 'delay':
      return step.until === undefined ? `waits ${textOf(step.for)}` : `waits until ${textOf(step.until)}${daysOf(step)}`
    case 'decision':
      return 'asks whether the person is in an audience'
    case 'paths':
      return 'takes the first path whose audience the person is in'
    case 'action_paths':
      return `waits ${textOf(step.within)} for what the person does`
    case 'experiment':
      return 'divides people at random'
    case 'update_user':
      return `changes attributes: ${Object.keys(objectOf(step.attributes)).join(', ')}`
    case 'webhook':
      return `calls ${textOf(step.method) || 'POST'} ${textOf(step.url)}`
    default:
      return `sends an e-mail${mail.subject === undefined ? '' : `: ${textOf(mail.subject)}`}`
  }
}

function daysOf({ weekdays }: Members): string {
  return Array.isArray(weekdays) && weekdays.length > 0 ? ` on ${weekdays.map(textOf).join(', ')}` : ''
}

function waysOf(step: Members): Way[] {
  const paths = listOf(step.paths).map((path, i): Way => {
    // As the server names a path without a name.
    const name = textOf(path.name) || `Path ${i + 1}`
    return {
      path: name,
      when: path.percent === undefined ? name : `${name}, ${textOf(path.percent)} %`,
      to: idOf(path.next),
    }
  })
  if (step.type === 'decision') return [way('yes', step.yes), way('no', step.no)]
  if (step.type === 'experiment') return paths
  if (paths.length > 0) return [...paths, way('otherwise', step.otherwise)]
  return 'type' in step ? [way('', step.next)] : []
}

function way(when: string, to: unknown): Way {
  return { path: when, when, to: idOf(to) }
}

function idOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

function textOf(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

function objectOf(value: unknown): Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {}
}

function listOf(value: unknown): Members[] {
  return Array.isArray(value) ? value.map(objectOf) : []
}
