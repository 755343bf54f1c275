// What a region shows when there is nothing, or when loading failed.
import { CloudOff, type LucideIcon, RotateCw } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from './Button.tsx'
import { classes } from './classes.ts'

type StateProps = {
  icon?: LucideIcon
  title: string
  body?: ReactNode
  /** What to do next: one button or link. */
  action?: ReactNode
  className?: string
}

/** `<EmptyState icon={Search} title={t('…')} body={…} action={<Button>…</Button>} />` */
export function EmptyState({ icon: Icon, title, body, action, className }: StateProps) {
  return (
    <div
      className={classes(
        'flex flex-col items-center gap-3 rounded-lg border border-dashed border-line-strong/60 px-6 py-12 text-center',
        className,
      )}
    >
      {Icon && (
        <span className="mb-1 grid size-14 place-items-center rounded-full bg-sunken text-ink-soft">
          <Icon aria-hidden className="size-6" />
        </span>
      )}
      <p className="font-display text-xl font-semibold">{title}</p>
      {body && <div className="max-w-prose text-ink-soft">{body}</div>}
      {action && <div className="mt-3">{action}</div>}
    </div>
  )
}

/** `<ErrorState onRetry={query.refetch} />`; `body` defaults to a plain sentence, `error` adds the reason. */
export function ErrorState({
  title,
  body,
  error,
  onRetry,
  className,
}: {
  title?: string
  body?: string
  error?: unknown
  onRetry?: () => void
  className?: string
}) {
  const { t } = useTranslation()
  const reason = answered(error) ? error.message : undefined
  return (
    <div role="alert" className={className}>
      <EmptyState
        icon={CloudOff}
        title={title ?? t('ui.errorTitle')}
        body={
          <>
            <p>{body ?? t('ui.errorBody')}</p>
            {reason && <p className="mt-2 text-sm text-ink-faint">{reason}</p>}
          </>
        }
        action={
          onRetry && (
            <Button variant="secondary" onClick={() => onRetry()}>
              <RotateCw aria-hidden />
              {t('ui.tryAgain')}
            </Button>
          )
        }
      />
    </div>
  )
}

/** Whether the service answered with a refusal; a browser's own "Failed to fetch" would only repeat the body. */
function answered(error: unknown): error is Error & { code: string } {
  return error instanceof Error && 'code' in error && Boolean(error.code)
}
