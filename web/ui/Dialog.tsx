// Modal dialogs over Radix: focus is trapped and returned, Escape closes, the page behind does not scroll.
import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { captchaPrompt } from '../lib/captcha.ts'
import { classes } from './classes.ts'
import { Problem } from './form/Field.tsx'
import { stayForInputMethod } from './keys.ts'
import { useReturnFocus } from './returnFocus.ts'
import { YIELDS_TO_TOASTS } from './toastRoom.ts'

type DialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description?: ReactNode
  size?: 'sm' | 'md' | 'lg' | 'xl'
  /** As high as the window on phones, and tall elsewhere; the content scrolls by itself. */
  tall?: boolean
  children?: ReactNode
} & (
  | {
      /** Buttons at the bottom, the primary last. */
      footer: ReactNode
      /** The error, directly above the buttons. A form with its own buttons has a SubmissionError instead. */
      problem?: string | null | undefined
      /** The id of the error, for the control that it is about. */
      problemId?: string
    }
  | { footer?: undefined; problem?: undefined; problemId?: undefined }
)

export const widths = { sm: 'sm:max-w-md', md: 'sm:max-w-xl', lg: 'sm:max-w-3xl', xl: 'sm:max-w-5xl' }

/** `<Dialog open={open} onOpenChange={setOpen} title={…}>…</Dialog>`; a bottom sheet on phones. */
export function Dialog({
  open,
  onOpenChange,
  title,
  description,
  footer,
  problem,
  problemId,
  size = 'md',
  tall = false,
  children,
}: DialogProps) {
  const returnFocus = useReturnFocus()
  return (
    <Radix.Root open={open} onOpenChange={onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={SCRIM_CLASSES} />
        <Radix.Content
          className={classes(PANEL_CLASSES, widths[size], tall && TALL_CLASSES)}
          {...(description ? {} : { 'aria-describedby': undefined })}
          {...returnFocus}
          {...YIELDS_TO_TOASTS}
          onEscapeKeyDown={stayForInputMethod}
          onInteractOutside={keepOpen}
        >
          <header className="flex items-start gap-4 border-b border-line px-5 py-4">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-xl">{title}</Radix.Title>
              {description && (
                <Radix.Description asChild>
                  <div className="mt-1 text-ink-soft">{description}</div>
                </Radix.Description>
              )}
            </div>
            <CloseButton />
          </header>
          {children && (
            <div className={classes('min-h-0 flex-1', tall ? 'flex flex-col' : 'overflow-y-auto px-5 py-5')}>
              {children}
            </div>
          )}
          {footer && (
            <DialogFooter problem={problem} problemId={problemId}>
              {footer}
            </DialogFooter>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** A toast or a CAPTCHA above the dialog belongs to what happens in it: using it does not leave the dialog. */
function keepOpen(event: Event) {
  if (captchaPrompt.asked.get() || (event.target as Element).closest('[data-sonner-toaster]'))
    event.preventDefault()
}

function CloseButton() {
  const { t } = useTranslation()
  return (
    <Radix.Close
      aria-label={t('ui.close')}
      className="-me-2 -mt-1 grid size-10 shrink-0 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
    >
      <X aria-hidden className="size-5" />
    </Radix.Close>
  )
}

type FooterProps = { problem: string | null | undefined; problemId?: string | undefined; children: ReactNode }

export function DialogFooter({ problem, problemId, children }: FooterProps) {
  return (
    <footer className="border-t border-line px-5 py-4">
      {problem && <Problem id={problemId}>{problem}</Problem>}
      <div className="flex flex-col-reverse gap-3 sm:flex-row sm:justify-end">{children}</div>
    </footer>
  )
}

export const SCRIM_CLASSES =
  'fixed inset-0 z-50 bg-scrim data-[state=open]:animate-fade-in data-[state=closed]:animate-fade-out'

const TALL_CLASSES =
  'h-dvh max-h-[calc(100dvh-var(--toast-room-top,0px))] rounded-none sm:h-[min(44rem,88dvh)] sm:rounded-lg'

export const PANEL_CLASSES = classes(
  'fixed inset-x-0 bottom-0 z-50 mx-auto flex max-h-[min(92dvh,calc(100dvh-var(--toast-room-top,0px)))] w-full flex-col overflow-hidden rounded-t-lg bg-surface shadow-float',
  'sm:top-[calc(50dvh-var(--toast-room-bottom,0px)/2)] sm:bottom-auto sm:max-h-[min(92dvh,calc(100dvh-var(--toast-room-bottom,0px)-1rem))] sm:w-[calc(100%-3rem)] sm:-translate-y-1/2 sm:rounded-lg',
  'data-[state=open]:animate-fade-in focus:outline-none',
)
