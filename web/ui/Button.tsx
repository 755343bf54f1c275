// Buttons, and links that look like one (`asChild`). One primary per screen.
import { Slot } from 'radix-ui'
import type { ComponentProps, MouseEvent } from 'react'
import { classes } from './classes.ts'
import { Spinner } from './Spinner.tsx'

const variants = {
  // A disabled button has no colour: faded wheat would be mud in the dark theme.
  primary:
    'bg-wheat text-on-wheat hover:bg-wheat-deep shadow-[inset_0_-1px_0_rgb(0_0_0/0.14)] disabled:bg-sunken disabled:text-ink-faint disabled:opacity-100 disabled:shadow-none',
  secondary: 'bg-surface text-ink border border-line-strong hover:bg-sunken',
  ghost: 'text-ink hover:bg-sunken',
  danger: 'bg-danger text-on-danger hover:bg-danger-deep',
  link: 'text-sky underline decoration-1 underline-offset-4 hover:text-sky-deep hover:decoration-2',
}

const sizes = {
  sm: 'h-fit min-h-9 px-3 py-1 text-sm',
  md: 'h-fit min-h-11 px-4 py-1',
  lg: 'h-fit min-h-13 px-6 py-1 text-lg',
  icon: 'size-11',
}

export type ButtonProps = ComponentProps<'button'> & {
  variant?: keyof typeof variants
  size?: keyof typeof sizes
  /** Shows a spinner and takes no clicks, but keeps the focus; the label stays for screen readers and width. */
  loading?: boolean
  /** Renders the only child (a Link, say) with the looks of a button. */
  asChild?: boolean
}

/** `<Button onClick={…}>Post task</Button>`, `<Button asChild variant="secondary"><Link to="/browse">…</Link></Button>` */
export function Button({
  variant = 'primary',
  size = 'md',
  loading = false,
  asChild = false,
  className,
  children,
  type = 'button',
  onClick,
  ...rest
}: ButtonProps) {
  const merged = classes(
    'relative inline-flex shrink-0 items-center justify-center gap-2 rounded-md text-center font-semibold sm:whitespace-nowrap',
    // On a phone a long label wraps rather than leave what holds it.
    'max-w-full',
    'transition-colors duration-150 select-none disabled:cursor-not-allowed aria-disabled:cursor-not-allowed disabled:opacity-55 aria-disabled:opacity-55',
    '[&_svg]:size-[1.15em] [&_svg]:shrink-0',
    variants[variant],
    variant === 'link' ? 'h-auto px-0' : sizes[size],
    className,
  )
  if (asChild) {
    return (
      <Slot.Root className={merged} onClick={onClick} {...rest}>
        {children}
      </Slot.Root>
    )
  }
  return (
    <button
      type={type}
      className={merged}
      aria-busy={loading || undefined}
      aria-disabled={loading || undefined}
      onClick={loading ? ignore : onClick}
      {...rest}
    >
      {loading && (
        <span className="absolute inset-0 grid place-items-center">
          <Spinner />
        </span>
      )}
      <span className={classes('contents', loading && 'inline-flex items-center gap-2 opacity-0')}>
        {children}
      </span>
    </button>
  )
}

/** Keeps the form around it from being submitted. */
function ignore(event: MouseEvent) {
  event.preventDefault()
}
