// The popup of an explanation: what badges mean, how a figure is counted.
import { Popover } from 'radix-ui'
import type { ReactElement, ReactNode } from 'react'

type InfoPopoverProps = { trigger: ReactElement; label: string; children: ReactNode }

/** Open from the start. */
export function InfoPopover({ trigger, label, children }: InfoPopoverProps) {
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger asChild>{trigger}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          aria-label={label}
          // Where it is longer than the window, arrow keys scroll it.
          tabIndex={0}
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-h-(--radix-popover-content-available-height) w-80 max-w-[calc(100vw-1rem)] overflow-y-auto rounded-md border border-line bg-surface p-4 shadow-float focus-visible:outline-none"
        >
          {children}
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}
