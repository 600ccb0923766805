import { useEffect, useRef } from 'react'
import { root } from '../api/call.ts'
import { curlOf, type Operation } from '../api/operation.ts'

let current: { readonly operation: Operation<unknown> } | undefined

/** Tells the frame which request feeds the page, so that it can be copied as a shell command. */
export function useFeed(operation: Operation<unknown>): void {
  const feed = useRef({ operation })
  feed.current.operation = operation
  useEffect(() => {
    const mine = feed.current
    current = mine
    return () => {
      if (current === mine) current = undefined
    }
  }, [])
}

/** Tells the frame about a write that the page has just made. It is copied until another page is shown. */
export function noteWrite(operation: Operation<unknown>): void {
  current = { operation }
}

/** Returns the last write, or the request that feeds the page as a shell command; undefined on a page without one. */
export function feedAsCurl(): string | undefined {
  return current && curlOf(current.operation, location.origin + root.replace(/\/$/, ''))
}
