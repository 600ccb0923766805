import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Button, IconButton } from './button.tsx'

const shownMs = 1_500

/** Copies a text, and says so. With `children` it is a button with words, else an icon. */
export function CopyButton({ text, label, children }: { text: string; label: string; children?: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), shownMs)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = () => void copyText(text).then(setCopied)
  const icon = copied ? <Check size={16} aria-hidden /> : <Copy size={16} aria-hidden />
  if (children === undefined) {
    return (
      <IconButton label={copied ? 'Copied' : label} onClick={copy}>
        {icon}
      </IconButton>
    )
  }
  return (
    <Button onClick={copy} title={label}>
      {icon}
      {copied ? 'Copied' : children}
    </Button>
  )
}

/** Copies a text to the clipboard. Resolves to whether the browser allowed it. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    // Without https, or without the permission, a page cannot write to the clipboard.
    return false
  }
}
