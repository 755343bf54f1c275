// A drawer from the side of the page: the mobile menu, filters, messages.
import { ArrowLeft, X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { classes } from './classes.ts'
import { SCRIM_CLASSES } from './Dialog.tsx'
import { stayForInputMethod } from './keys.ts'
import { useReturnFocus } from './returnFocus.ts'
import { YIELDS_TO_TOASTS } from './toastRoom.ts'

type SheetProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  /** Below the title. */
  description?: ReactNode
  /** A button before the title, back to the previous content. */
  back?: { label: string; onBack: () => void }
  /** Keeps the title for screen readers only. */
  hideTitle?: boolean
  /** The content scrolls by itself. */
  scrollsItself?: boolean
  footer?: ReactNode
  children: ReactNode
}

/** `<Sheet open={open} onOpenChange={setOpen} title={…}>…</Sheet>`; slides from the reading direction's end. */
export function Sheet({
  open,
  onOpenChange,
  title,
  description,
  back,
  hideTitle = false,
  scrollsItself = false,
  footer,
  children,
}: SheetProps) {
  const { t } = useTranslation()
  const returnFocus = useReturnFocus()
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={SCRIM_CLASSES} />
        <Radix.Content
          aria-describedby={undefined}
          {...returnFocus}
          {...YIELDS_TO_TOASTS}
          onEscapeKeyDown={stayForInputMethod}
          className="fixed end-0 top-[var(--toast-room-top,0px)] bottom-[var(--toast-room-bottom,0px)] z-50 flex w-[min(100%,24rem)] flex-col bg-surface shadow-float focus:outline-none data-[state=closed]:animate-slide-out data-[state=open]:animate-slide-in rtl:[--slide-from:-100%]"
        >
          <header
            className={classes(
              'flex min-h-16 shrink-0 items-center gap-2 border-b border-line py-2 pe-3',
              back ? 'ps-2' : 'ps-5',
            )}
          >
            {back && (
              <button
                type="button"
                aria-label={back.label}
                onClick={back.onBack}
                className="grid size-11 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
              >
                <ArrowLeft aria-hidden className="size-5 rtl:-scale-x-100" />
              </button>
            )}
            <div className="min-w-0 flex-1">
              <Radix.Title
                dir="auto"
                className={classes('cut-words truncate text-xl', hideTitle && 'sr-only')}
              >
                {title}
              </Radix.Title>
              {description}
            </div>
            <Radix.Close
              aria-label={t('ui.close')}
              className="ms-auto grid size-11 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
            >
              <X aria-hidden className="size-5" />
            </Radix.Close>
          </header>
          {scrollsItself ? (
            <div className="flex min-h-0 flex-1 flex-col">{children}</div>
          ) : (
            <div className="min-h-0 flex-1 overflow-y-auto overscroll-contain">{children}</div>
          )}
          {footer && <footer className="border-t border-line p-4">{footer}</footer>}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
