// Panels that hang below a button, over Radix: Escape and a click elsewhere close them, focus returns to the button.
import { Popover as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { classes } from './classes.ts'

/** `<Popover open={open} onOpenChange={setOpen} label={…} trigger={<Button>…</Button>}>…</Popover>`; not modal. */
export function Popover({
  open,
  onOpenChange,
  label,
  trigger,
  className,
  onCloseAutoFocus,
  children,
}: {
  open: boolean
  onOpenChange: (open: boolean) => void
  /** The panel's name. */
  label: string
  trigger: ReactNode
  className?: string
  /** Prevents the default where the focus shall go elsewhere than to the button. */
  onCloseAutoFocus?: (event: Event) => void
  children: ReactNode
}) {
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          aria-label={label}
          align="end"
          sideOffset={6}
          collisionPadding={8}
          onCloseAutoFocus={onCloseAutoFocus}
          className={classes(
            'z-50 flex max-h-(--radix-popover-content-available-height) flex-col overflow-hidden rounded-md border border-line bg-surface shadow-float focus:outline-none data-[state=open]:animate-rise',
            className,
          )}
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
