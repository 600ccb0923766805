import { type JsonSchema, type OpenApi, referenceOf } from './print-type.ts'

/** The schemas from which the forms of flows are made, beside those that they refer to. */
const roots = { canvas: 'CanvasInput', campaign: 'CampaignInput' } as const
/** Conditions have an editor of their own. */
const left = new Set(['Condition'])
const order = 'PostAdminCanvasesIdSendBody'

const limits = ['minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'maxProperties'] as const

/** Prints what the forms of flows need of their schemas: the members of each object, with their limits, choices and defaults. */
export function printFlowShapes({ components }: OpenApi): string {
  const { schemas } = components
  const shapes = new Map<string, JsonSchema>()
  const add = (name: string, component: string) => {
    const schema = schemas[component]
    if (!schema) throw new Error(`/openapi.json has no component ${component} (scripts/flow-shapes.ts)`)
    if (shapes.has(name)) return
    if (schema.properties) shapes.set(name, schema)
    for (const reference of referencesIn(schema)) {
      const { title = reference } = schemas[reference] as { title?: string }
      if (!left.has(reference) && reference !== component) add(title, reference)
    }
  }
  for (const [name, component] of Object.entries(roots)) add(name, component)
  shapes.set('send_order', schemas[order]!)
  const printed = [...shapes].map(([name, schema]) => `  ${name}: {\n${membersOf(schema).join('\n')}\n  },`)
  const head = [
    '// Written by npm run generate from /openapi.json.',
    '',
    '/** The objects of a flow, and the order that sends it: their members with limits, choices and defaults. */',
  ]
  return `${head.join('\n')}\nexport const flowShapes = {\n${printed.join('\n')}\n} as const\n`
}

function membersOf({ properties = {}, required = [] }: JsonSchema): string[] {
  return Object.entries(properties).map(([name, schema]) => {
    const rules = [...(required.includes(name) ? ['required: true'] : []), ...rulesOf(schema)]
    return rules.length === 0 ? `    ${name}: {},` : `    ${name}: { ${rules.join(', ')} },`
  })
}

/** Returns the rules of a member. Those of a list of words are the words of its entries. */
function rulesOf(schema: JsonSchema & { default?: unknown }): string[] {
  const { anyOf = [], items } = schema
  const words = [schema, ...anyOf, ...(items ? [items] : [])].find((one) => one.enum)?.enum
  return [
    ...limits.flatMap((limit) => {
      const value = (schema as Readonly<Record<string, unknown>>)[limit]
      return value === undefined ? [] : [`${limit}: ${value}`]
    }),
    ...(words ? [`choices: [${words.map(literal).join(', ')}]`] : []),
    ...(schema.default === undefined ? [] : [`preset: ${literal(schema.default)}`]),
  ]
}

function literal(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value)
}

function referencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const reference = referenceOf(value as JsonSchema)
  return reference === undefined ? Object.values(value).flatMap(referencesIn) : [reference]
}
