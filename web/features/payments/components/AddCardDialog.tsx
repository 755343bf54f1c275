// Adding a card: it is given to the payment provider, who keeps it.
import { useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { addCard } from '../api/cards.ts'
import { CardEntry } from '../card/CardEntry.tsx'
import type { PaymentProvider } from '../card/paymentProvider.ts'

/** Open while it is mounted. */
export function AddCardDialog({ publishableKey, onClose }: { publishableKey: string; onClose: () => void }) {
  const { t } = useTranslation()
  const [provider, setProvider] = useState<PaymentProvider | null>(null)
  const refusal = useId()
  const adding = useAction(addCard, {
    onSuccess: () => {
      onClose()
      toast.success(t('payments.cardAdded'))
    },
  })
  const add = () => provider && adding.mutate(provider)
  useEffect(() => {
    if (adding.error) provider?.focus(adding.error)
  }, [adding.error, provider])
  return (
    <Dialog
      open
      onOpenChange={(next) => !next && !adding.isPending && onClose()}
      title={t('payments.addCard')}
      description={<p>{t('payments.addCardBody')}</p>}
      problem={adding.error && errorText(adding.error)}
      problemId={refusal}
      footer={
        <>
          <Button variant="secondary" disabled={adding.isPending} onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button disabled={!provider} loading={adding.isPending} onClick={add}>
            {t('payments.saveCard')}
          </Button>
        </>
      }
    >
      <form
        noValidate
        className="flex flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault()
          add()
        }}
      >
        <CardEntry
          publishableKey={publishableKey}
          disabled={adding.isPending}
          failure={adding.error}
          refusal={refusal}
          onEdit={adding.reset}
          ref={setProvider}
        />
        <button type="submit" hidden />
      </form>
    </Dialog>
  )
}
