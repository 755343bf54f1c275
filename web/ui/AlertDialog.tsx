// A question that must be answered before an action that cannot be undone.
import { AlertDialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { DialogFooter, PANEL_CLASSES, SCRIM_CLASSES, widths } from './Dialog.tsx'
import { stayForInputMethod } from './keys.ts'
import { useReturnFocus } from './returnFocus.ts'
import { YIELDS_TO_TOASTS } from './toastRoom.ts'

type AlertDialogProps = {
  open: boolean
  onOpenChange: (open: boolean) => void
  title: string
  description: ReactNode
  confirmLabel: string
  cancelLabel?: string
  /** Stays open while `loading`; close it yourself once the action is done. */
  onConfirm: () => void
  loading?: boolean
  /** The error, directly above the buttons. */
  problem?: string | null | undefined
  danger?: boolean
  size?: 'sm' | 'md'
  children?: ReactNode
}

/** `<AlertDialog open={…} onOpenChange={…} title={…} description={…} confirmLabel={…} onConfirm={…} danger />` */
export function AlertDialog(props: AlertDialogProps) {
  const { t } = useTranslation()
  const returnFocus = useReturnFocus()
  return (
    <Radix.Root open={props.open} onOpenChange={props.onOpenChange}>
      <Radix.Portal>
        <Radix.Overlay className={SCRIM_CLASSES} />
        <Radix.Content
          className={classes(PANEL_CLASSES, widths[props.size ?? 'sm'])}
          {...returnFocus}
          {...YIELDS_TO_TOASTS}
          onEscapeKeyDown={stayForInputMethod}
        >
          <div className="overflow-y-auto px-5 py-5">
            <Radix.Title className="text-xl">{props.title}</Radix.Title>
            <Radix.Description asChild>
              <div className="mt-2 text-ink-soft">{props.description}</div>
            </Radix.Description>
            {props.children && <div className="mt-4">{props.children}</div>}
          </div>
          <DialogFooter problem={props.problem}>
            <Radix.Cancel asChild>
              <Button variant="secondary">{props.cancelLabel ?? t('ui.cancel')}</Button>
            </Radix.Cancel>
            <Button
              variant={props.danger ? 'danger' : 'primary'}
              loading={props.loading}
              onClick={props.onConfirm}
            >
              {props.confirmLabel}
            </Button>
          </DialogFooter>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
