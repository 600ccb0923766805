import styles from './code-block.module.css'

/** A text as it was sent, such as a body. It can be scrolled with the keyboard. */
export function CodeBlock({ label, children }: { label: string; children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard.
    <section className={styles.block} aria-label={label} tabIndex={0} dir="auto">
      {children}
    </section>
  )
}
