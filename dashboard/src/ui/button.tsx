import type { ComponentProps, ReactNode } from 'react'
import styles from './button.module.css'

type Look = 'plain' | 'main' | 'danger' | 'quiet'

type ButtonProps = Omit<ComponentProps<'button'>, 'disabled'> & {
  readonly look?: Look
  /** Why the button cannot be used now. It can still be focused, so that the reason is read. */
  readonly disabledReason?: string | undefined
}

/** A button. A disabled one says why. */
export function Button({ look = 'plain', disabledReason, className, onClick, title, ...rest }: ButtonProps) {
  const off = disabledReason !== undefined
  return (
    <button
      type="button"
      {...rest}
      className={buttonClass(look, className)}
      aria-disabled={off || undefined}
      title={disabledReason ?? title}
      onClick={off ? undefined : onClick}
    />
  )
}

type IconButtonProps = Omit<ButtonProps, 'title' | 'children'> & {
  readonly label: string
  readonly children: ReactNode
}

/** A button with an icon only. `label` is its name for screen readers and its tooltip. */
export function IconButton({ label, className, ...rest }: IconButtonProps) {
  const classes = className === undefined ? styles.icon : `${styles.icon} ${className}`
  return <Button look="quiet" aria-label={label} title={label} className={classes} {...rest} />
}

/** The class of something that looks like a button, such as a link. */
export function buttonClass(look: Look = 'plain', more?: string): string {
  return [styles.button, look === 'plain' ? '' : styles[look], more ?? ''].filter((name) => name !== '').join(' ')
}
