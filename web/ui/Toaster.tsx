// Short messages at the edge of the screen. Everything that toasts imports `toast` from here.
import type { CSSProperties } from 'react'
import { Toaster as Sonner, toast as sonner } from 'sonner'
import { useToastRoom } from './toastRoom.ts'
import { useNarrow } from './windowWidth.ts'

/** `toast.success(title, { description })`; a destructive toast is `toast.error(title, { description })`. */
export const toast = {
  error: sonner.error,
  info: sonner.info,
  /** A success removes the errors of earlier tries. */
  success(...message: Parameters<typeof sonner.success>) {
    for (const shown of sonner.getToasts()) {
      if ('type' in shown && shown.type === 'error') sonner.dismiss(shown.id)
    }
    return sonner.success(...message)
  },
  dismiss: sonner.dismiss,
}

export function Toaster({
  label,
  theme,
  dir,
}: {
  label: string
  theme: 'light' | 'dark'
  dir: 'ltr' | 'rtl'
}) {
  const narrow = useNarrow()
  useToastRoom(narrow ? 'top' : 'bottom')
  return (
    <Sonner
      theme={theme}
      dir={dir}
      containerAriaLabel={label}
      // On phones the foot of the screen holds what the thumb does next: there a toast lies over the bar at the top.
      // Elsewhere it is in the corner where reading begins, across from buttons, which are where it ends.
      position={narrow ? 'top-center' : dir === 'rtl' ? 'bottom-right' : 'bottom-left'}
      offset="1.5rem"
      mobileOffset={{
        top: 'max(0.5rem, env(safe-area-inset-top))',
        left: '0.5rem',
        right: '0.5rem',
      }}
      style={{ '--width': '20rem' } as CSSProperties}
      closeButton
      duration={6000}
      toastOptions={{
        unstyled: false,
        classNames: {
          // An open dialog switches pointers off for the rest of the page, but a toast may hold a button.
          toast:
            '!pointer-events-auto !font-sans !text-base !rounded-md !border !border-line !bg-surface !text-ink !shadow-float !gap-3',
          title: '!font-semibold',
          description: '!text-ink-soft !text-sm',
          error: '!border-danger [&_[data-icon]]:!text-danger',
          success: '[&_[data-icon]]:!text-success',
          info: '[&_[data-icon]]:!text-sky',
          actionButton: '!h-9 !rounded-md !bg-ink !px-3 !text-sm !font-semibold !text-paper',
          closeButton: '!size-6 !bg-surface !text-ink-soft !border-line',
        },
      }}
    />
  )
}
