import { type RefObject, useEffect, useState } from 'react'

/** How far outside the screen a part counts as seen, so that it is ready when it is scrolled to. */
const marginPx = 100

/** Whether a part of the page was on the screen so far. */
export function useSeen(ref: RefObject<Element | null>): boolean {
  const [isSeen, setIsSeen] = useState(false)
  useEffect(() => {
    const part = ref.current
    if (isSeen || part === null) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && setIsSeen(true),
      { rootMargin: `${marginPx}px` },
    )
    observer.observe(part)
    return () => observer.disconnect()
  }, [ref, isSeen])
  return isSeen
}
