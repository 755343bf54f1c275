// Shown in a region without content, or after loading failed.
import { CloudOff, type LucideIcon, RotateCw, WifiOff } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../lib/errorText.ts'
import { referenceText } from '../lib/requestId.ts'
import { useOnline } from '../lib/useOnline.ts'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'
import { Scene } from './horizon/Scene.tsx'

type StateProps = {
  icon?: LucideIcon
  /** Without the picture: where something is wrong, there is nothing to look at. */
  scene?: boolean
  title: string
  body?: ReactNode
  /** The next action: one button or link. */
  action?: ReactNode
  className?: string
}

/** `<EmptyState icon={Search} title={t('…')} body={…} action={<Button>…</Button>} />` */
export function EmptyState({ icon: Icon, scene = true, title, body, action, className }: StateProps) {
  return (
    <div className={classes('flex flex-col items-center gap-3 px-6 py-10 text-center', className)}>
      {Icon && !scene && (
        <span className="mb-1 grid size-14 place-items-center rounded-full bg-sunken text-ink-soft">
          <Icon aria-hidden className="size-6" />
        </span>
      )}
      {scene && (
        <div className="relative mb-3 h-32 w-56 max-w-full">
          <Scene fit="scene" className="rounded-lg" />
          {Icon && (
            <span className="absolute start-4 -bottom-4 grid size-11 place-items-center rounded-full border-4 border-paper bg-wheat text-on-wheat">
              <Icon aria-hidden className="size-5" />
            </span>
          )}
        </div>
      )}
      <p className="font-display text-xl font-semibold">{title}</p>
      {body && <div className="max-w-prose text-ink-soft">{body}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}

/**
 * `<ErrorState onRetry={query.refetch} />`; `body` defaults to a plain sentence, `error` adds the reason. Without a network
 * that is what it says, and that nothing is kept here.
 */
export function ErrorState({
  title,
  offlineTitle,
  body,
  error,
  onRetry,
  className,
}: {
  title?: string
  /** Where something else than rows is lacking without a network. */
  offlineTitle?: string
  body?: string
  error?: unknown
  onRetry?: () => void
  className?: string
}) {
  const { t } = useTranslation()
  const reason = answered(error) ? errorText(error) : undefined
  const offline = !useOnline() && !reason
  // As it was when this appeared: a later failure has a separate screen.
  const [reference] = useState(referenceText)
  return (
    <div role="alert" className={className}>
      <EmptyState
        icon={offline ? WifiOff : CloudOff}
        scene={false}
        title={offline ? (offlineTitle ?? t('ui.noneKept')) : (title ?? t('ui.errorTitle'))}
        body={
          <>
            <p>{offline ? t('layout.offline') : (body ?? t('ui.errorBody'))}</p>
            {reason && <p className="mt-2 text-sm text-ink-faint">{reason}</p>}
            {reference && !offline && (
              <p className="mt-2 text-xs break-all text-ink-faint select-all">{reference}</p>
            )}
          </>
        }
        action={
          onRetry && (
            <Button variant="secondary" onClick={() => onRetry()}>
              <RotateCw aria-hidden />
              <span>{t('ui.tryAgain')}</span>
            </Button>
          )
        }
      />
    </div>
  )
}

/** Whether the service answered with a refusal. Browsers' own exceptions say nothing to a reader; theirs have numbers for codes. */
function answered(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' && error.code !== ''
}
