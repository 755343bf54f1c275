// A surface with a hairline edge.
import { Slot } from 'radix-ui'
import type { ComponentProps } from 'react'
import { classes } from './classes.ts'

type CardProps = ComponentProps<'div'> & {
  /** The whole card is a target: it answers to the pointer. */
  interactive?: boolean
  /** Renders the only child (an article, a Link) as the card. */
  asChild?: boolean
}

/** `<Card className="p-6">…</Card>`; padding 20 px by default. */
export function Card({ interactive = false, asChild = false, className, ...rest }: CardProps) {
  const Element = asChild ? Slot.Root : 'div'
  return (
    <Element
      className={classes(
        'rounded-lg border border-line bg-surface p-5',
        interactive && 'transition-colors hover:border-line-strong',
        className,
      )}
      {...rest}
    />
  )
}
