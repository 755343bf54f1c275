// Menus over Radix: arrow keys, type-ahead, Escape.
import { Check } from 'lucide-react'
import { DropdownMenu as Radix } from 'radix-ui'
import type { ComponentProps, ReactNode } from 'react'
import { classes } from './classes.ts'

/** `<DropdownMenu trigger={<Button>…</Button>}><MenuItem onSelect={…}>…</MenuItem></DropdownMenu>` */
export function DropdownMenu({
  trigger,
  align = 'end',
  defaultOpen = false,
  children,
}: {
  trigger: ReactNode
  align?: 'start' | 'end'
  /** Open from the start. */
  defaultOpen?: boolean
  children: ReactNode
}) {
  return (
    <Radix.Root modal={false} defaultOpen={defaultOpen}>
      <Radix.Trigger asChild>{trigger}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content
          align={align}
          sideOffset={6}
          collisionPadding={8}
          className="z-50 max-h-(--radix-dropdown-menu-content-available-height) min-w-48 overflow-y-auto rounded-md border border-line bg-surface p-1 shadow-float data-[state=open]:animate-rise"
        >
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

const ITEM_CLASSES =
  'flex min-h-10 w-full cursor-pointer items-center gap-3 rounded-sm px-3 py-1.5 text-start select-none focus-visible:-outline-offset-2 data-disabled:opacity-50 data-highlighted:bg-sunken [&_svg]:size-[1.15em] [&_svg]:shrink-0'

/** One action or, with `asChild`, one link. */
export function MenuItem({ className, ...rest }: ComponentProps<typeof Radix.Item>) {
  return <Radix.Item className={classes(ITEM_CLASSES, className)} {...rest} />
}

/** A group of which one is chosen; the chosen one carries a checkmark. */
export function MenuChoice<T extends string>({
  value,
  onChange,
  options,
  labelledBy,
}: {
  value: T
  onChange: (value: T) => void
  options: { value: T; label: ReactNode; lang?: string }[]
  /** The id of what names the group. */
  labelledBy?: string
}) {
  return (
    <Radix.RadioGroup
      aria-labelledby={labelledBy}
      value={value}
      onValueChange={(next) => onChange(next as T)}
    >
      {options.map((option) => (
        <Radix.RadioItem key={option.value} value={option.value} lang={option.lang} className={ITEM_CLASSES}>
          <span className="flex flex-1 items-center gap-3">{option.label}</span>
          <Radix.ItemIndicator>
            <Check aria-hidden className="text-sky" />
          </Radix.ItemIndicator>
        </Radix.RadioItem>
      ))}
    </Radix.RadioGroup>
  )
}

export function MenuSeparator() {
  return <Radix.Separator className="mx-2 my-1 h-px bg-line" />
}
