import { useEffect, useState } from 'react'

/** Returns a value once it has not changed for a while. `key` tells whether it has changed. */
export function useRested<T>(value: T, key: string, ms: number): { readonly value: T; readonly key: string } {
  const [rested, setRested] = useState({ value, key })
  useEffect(() => {
    if (rested.key === key) return
    const timer = setTimeout(() => setRested({ value, key }), ms)
    return () => clearTimeout(timer)
  })
  return rested
}
