import { type ChangeEvent, type KeyboardEvent, useEffect, useRef, useState } from 'react'

/**
 * The properties of a field whose text is in the query of the page. It applies on Enter, and when the field is left. When the query changes
 * otherwise, the field follows, unless somebody is typing.
 */
export function useTypedText(value: string, onChange: (value: string | undefined) => void) {
  const [text, setText] = useState(value)
  /** What the query has, or gets in a moment. */
  const applied = useRef(value)
  useEffect(() => {
    const before = applied.current
    applied.current = value
    setText((current) => (current.trim() === before ? value : current))
  }, [value])
  const apply = () => {
    const next = text.trim()
    if (next === applied.current) return
    applied.current = next
    onChange(next === '' ? undefined : next)
  }
  return {
    value: text,
    onChange: (event: ChangeEvent<HTMLInputElement>) => setText(event.target.value),
    onBlur: apply,
    onKeyDown: (event: KeyboardEvent) => event.key === 'Enter' && apply(),
  }
}
