import { useState } from 'react'
import { TextArea } from './form.tsx'

type JsonFieldProps = {
  label: string
  hint?: string
  value: unknown
  problem?: string | undefined
  rows?: number
  /** Parses JSON. Throws for a text that is none. */
  read: (text: string) => unknown
  onChange: (value: unknown) => void
}

/** A field for a value as JSON. What is typed stays as it is typed; a text that is no JSON changes nothing. */
export function JsonField({ value, problem, read: parse, onChange, ...rest }: JsonFieldProps) {
  const [typed, setTyped] = useState('')
  const read = readJson(typed, parse)
  const isSame = read !== undefined && JSON.stringify(read.value) === JSON.stringify(value)
  const [isBroken, setBroken] = useState(false)
  return (
    <TextArea
      {...rest}
      mono
      value={isSame || isBroken ? typed : JSON.stringify(value, null, 2)}
      problem={isBroken ? 'This is not JSON yet, so it changes nothing.' : problem}
      onChange={(text) => {
        setTyped(text)
        const now = readJson(text, parse)
        setBroken(now === undefined)
        if (now) onChange(now.value)
      }}
    />
  )
}

function readJson(text: string, parse: (text: string) => unknown): { readonly value: unknown } | undefined {
  try {
    return { value: parse(text) }
  } catch {
    // Half a value.
    return undefined
  }
}
