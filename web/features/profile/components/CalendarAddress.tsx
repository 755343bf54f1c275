// The secret address of a person's bookings: copy it, see how to subscribe, replace it, turn it off.
import { useQuery } from '@tanstack/react-query'
import { Copy } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Problem } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { addressQuery, createAddress, removeAddress } from '../api/calendars.ts'

export function CalendarAddress({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const id = useId()
  const { data: address, error, isLoadingError, refetch } = useQuery(addressQuery(userId))
  const creating = useAction(createAddress(userId))
  return (
    <section aria-labelledby={id} className="flex flex-col gap-4">
      <div>
        <h3 id={id} className="text-lg">
          {t('calendars.feed.title')}
        </h3>
        <p className="mt-1 text-ink-soft">{t('calendars.feed.lead')}</p>
      </div>
      {isLoadingError ? (
        <ErrorState error={error} onRetry={() => refetch()} />
      ) : address === undefined ? (
        <Skeleton className="h-24 w-full" />
      ) : address === null ? (
        <>
          {creating.error && <Problem>{errorText(creating.error)}</Problem>}
          <Button
            variant="secondary"
            loading={creating.isPending}
            onClick={() => creating.mutate()}
            className="self-start"
          >
            {t('calendars.feed.create')}
          </Button>
        </>
      ) : (
        <Address userId={userId} address={address} />
      )}
    </section>
  )
}

function Address({ userId, address }: { userId: string; address: string }) {
  const { t } = useTranslation()
  const id = useId()
  const [question, setQuestion] = useState<'reset' | 'off' | null>(null)
  const copy = () =>
    // Browsers without the right to copy have no clipboard, or refuse.
    Promise.resolve(
      navigator.clipboard?.writeText(address) ?? Promise.reject(new Error('no clipboard')),
    ).then(
      () => toast.success(t('calendars.feed.copied')),
      () => toast.error(t('calendars.feed.copyByHand')),
    )
  return (
    <>
      <div className="flex flex-col gap-1.5">
        <label htmlFor={id} className="font-semibold">
          {t('calendars.feed.address')}
        </label>
        <div className="flex items-center gap-2">
          <Input
            id={id}
            readOnly
            dir="ltr"
            translate="no"
            value={address}
            className="min-w-0 flex-1 font-mono text-sm"
            onFocus={(event) => event.target.select()}
          />
          <Button variant="secondary" onClick={copy}>
            <Copy aria-hidden />
            <span>{t('calendars.feed.copy')}</span>
          </Button>
        </div>
      </div>
      <ul className="flex list-disc flex-col gap-1.5 ps-5 text-ink-soft">
        <li>{t('calendars.feed.google')}</li>
        <li>{t('calendars.feed.apple')}</li>
        <li>{t('calendars.feed.outlook')}</li>
      </ul>
      <p className="text-ink-soft">{t('calendars.feed.delay')}</p>
      <div className="flex flex-wrap gap-2">
        <Button variant="secondary" onClick={() => setQuestion('reset')}>
          {t('calendars.feed.reset')}
        </Button>
        <Button variant="ghost" className="text-danger" onClick={() => setQuestion('off')}>
          {t('calendars.feed.off')}
        </Button>
      </div>
      <Question userId={userId} what={question} onClose={() => setQuestion(null)} />
    </>
  )
}

type QuestionProps = { userId: string; what: 'reset' | 'off' | null; onClose: () => void }

/** Asks before an address ends that calendars may use. */
function Question({ userId, what, onClose }: QuestionProps) {
  const { t } = useTranslation()
  const creating = useAction(createAddress(userId), { onSuccess: onClose })
  const removing = useAction(removeAddress(userId), { onSuccess: onClose })
  const [shown, setShown] = useState<'reset' | 'off'>('reset')
  // The words stay while the dialog closes.
  if (what !== null && what !== shown) setShown(what)
  const action = shown === 'reset' ? creating : removing
  return (
    <AlertDialog
      open={what !== null}
      onOpenChange={onClose}
      title={t(`calendars.feed.${shown}Title`)}
      description={t(`calendars.feed.${shown}Text`)}
      confirmLabel={t(`calendars.feed.${shown}`)}
      onConfirm={() => action.mutate()}
      loading={action.isPending}
      problem={action.error && errorText(action.error)}
      danger
    />
  )
}
