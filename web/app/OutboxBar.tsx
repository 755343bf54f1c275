// Says on every screen that something waits to be sent, or was refused, and opens the list of it.
import { Clock3 } from 'lucide-react'
import { lazy, Suspense, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useOutbox } from '../lib/outbox.ts'
import { Button } from '../ui/Button.tsx'
import { classes } from '../ui/classes.ts'
import { toast } from '../ui/Toaster.tsx'
import { whenIdle } from './whenIdle.ts'

const loadDialog = () => import('./OutboxDialog.tsx')
const OutboxDialog = lazy(loadDialog)

export default function OutboxBar() {
  const { t } = useTranslation()
  const waiting = useOutbox()
  const [open, setOpen] = useState(false)
  // Loaded while there is a network: the list is wanted when there is none.
  useEffect(() => whenIdle(() => void loadDialog().catch(() => undefined)), [])
  // Loaded first: a failed load says so, and the next try can succeed.
  const show = () =>
    loadDialog().then(
      () => setOpen(true),
      () => toast.error(t('ui.errorTitle'), { description: t('ui.errorBody') }),
    )
  // Entries that are sent at once, as most messages are, need no bar.
  const unsent = waiting.filter(({ state }) => state === 'unsent')
  const refused = unsent.filter(({ refusal }) => refusal !== undefined)
  return (
    <>
      <div role="status">
        {unsent.length > 0 && (
          <p
            className={classes(
              'flex min-h-10 flex-wrap items-center justify-center gap-x-2 px-4 py-1.5 text-center text-sm font-medium',
              refused.length > 0 ? 'bg-danger-soft text-danger' : 'bg-sky-soft text-ink',
            )}
          >
            <Clock3 aria-hidden className="size-4 shrink-0" />
            <span>
              {refused.length > 0
                ? t('layout.outbox.refused', { number: refused.length })
                : t('layout.outbox.waiting', { number: unsent.length })}
            </span>
            <Button variant="link" className="min-h-6 text-sm" onClick={show}>
              {t('layout.outbox.show')}
            </Button>
          </p>
        )}
      </div>
      {open && (
        <Suspense>
          <OutboxDialog onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  )
}
