/** A part of a JSON Schema from which a field is made. */
export type FormSchema = {
  readonly type?: string
  readonly description?: string
  readonly enum?: readonly string[]
  readonly const?: unknown
  readonly default?: unknown
  readonly minimum?: number
  readonly maximum?: number
  readonly maxLength?: number
  readonly pattern?: string
  readonly minLength?: number
  readonly minItems?: number
  readonly maxItems?: number
  readonly minProperties?: number
  readonly title?: string
  readonly items?: FormSchema
  readonly properties?: Readonly<Record<string, FormSchema>>
  readonly patternProperties?: Readonly<Record<string, FormSchema>>
  readonly additionalProperties?: unknown
  readonly required?: readonly string[]
  readonly anyOf?: readonly FormSchema[]
  readonly 'x-form'?: {
    readonly page: string
    readonly group: string
    readonly label: string
    readonly meaning: string
  }
}
