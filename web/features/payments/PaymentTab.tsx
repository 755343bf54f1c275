// The Payment tab of My Profile: a giver's saved cards and receipts (specification 001 §2, §6).
import { useQuery } from '@tanstack/react-query'
import { CreditCard, Plus } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { cardName } from '../../lib/cardName.ts'
import { isUnreachable } from '../../lib/errorText.ts'
import { useUserId } from '../../lib/session.tsx'
import { AlertDialog } from '../../ui/AlertDialog.tsx'
import { Badge } from '../../ui/Badge.tsx'
import { Button } from '../../ui/Button.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { useAction } from '../../ui/useAction.ts'
import { cardsQuery, makeDefaultCard, publishableKeyQuery, removeCard, type SavedCard } from './api/cards.ts'
import { AddCardDialog } from './components/AddCardDialog.tsx'
import { cardExpires, hasExpired } from './components/cardText.ts'
import { Receipts } from './components/Receipts.tsx'

export function PaymentTab() {
  const { t } = useTranslation()
  const cards = useQuery(cardsQuery(useUserId()))
  const key = useQuery(publishableKeyQuery)
  const [adding, setAdding] = useState(false)
  const heading = useRef<HTMLHeadingElement>(null)
  const add = (
    <Button variant="secondary" disabled={!key.data} onClick={() => setAdding(true)}>
      <Plus aria-hidden />
      <span>{t('payments.addCard')}</span>
    </Button>
  )
  return (
    <div className="in-order flex flex-col gap-6">
      <header className="flex flex-wrap items-start justify-between gap-3">
        <div className="min-w-0 flex-1 basis-60">
          <h2 ref={heading} tabIndex={-1} className="text-2xl">
            {t('payments.savedCards')}
          </h2>
          <p className="mt-2 max-w-prose text-ink-soft">{t('payments.savedCardsBody')}</p>
        </div>
        {Boolean(cards.data?.length) && add}
      </header>
      {key.isError && !isUnreachable(key.error) && (
        <p role="status" className="rounded-md bg-wheat-soft p-4">
          {t('payments.setupNotice')}
        </p>
      )}
      {cards.isLoadingError ? (
        <ErrorState error={cards.error} onRetry={() => cards.refetch()} />
      ) : !cards.data ? (
        <div className="border-t border-line py-4" aria-busy>
          <Skeleton className="h-11 w-full" />
        </div>
      ) : cards.data.length === 0 ? (
        <EmptyState
          icon={CreditCard}
          title={t('payments.noCards')}
          body={t('payments.noCardsBody')}
          action={add}
        />
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          {cards.data.map((card) => (
            <CardRow key={card.id} card={card} onRemoved={() => heading.current?.focus()} />
          ))}
        </ul>
      )}
      <Receipts />
      {adding && key.data && <AddCardDialog publishableKey={key.data} onClose={() => setAdding(false)} />}
    </div>
  )
}

function CardRow({ card, onRemoved }: { card: SavedCard; onRemoved: () => void }) {
  const { t } = useTranslation()
  const [removing, setRemoving] = useState(false)
  const name = cardName(card, t)
  const defaulting = useAction(makeDefaultCard, { onError: t('payments.error') })
  const removal = useAction(removeCard, {
    onSuccess: () => {
      onRemoved()
      toast.success(t('payments.cardRemoved'))
    },
    onError: t('payments.error'),
  })
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 py-4">
      <CreditCard aria-hidden className="size-6 shrink-0 text-ink-soft" />
      <div className="min-w-0 flex-1 basis-44 max-sm:basis-[calc(100%-3rem)]">
        <p className="tabular font-semibold">{name}</p>
        <p className="tabular text-sm text-ink-soft">{cardExpires(card, t)}</p>
      </div>
      {hasExpired(card) && <Badge tone="danger">{t('payments.cardExpired')}</Badge>}
      {card.is_default && <Badge tone="info">{t('payments.cardDefault')}</Badge>}
      <div className="flex gap-1 max-sm:ms-auto">
        {!card.is_default && (
          <Button
            variant="ghost"
            size="sm"
            aria-label={t('payments.makeDefaultNamed', { name })}
            loading={defaulting.isPending}
            onClick={() => defaulting.mutate({ id: card.id })}
          >
            {t('payments.makeDefault')}
          </Button>
        )}
        <Button
          variant="ghost"
          size="sm"
          aria-label={t('payments.removeCardNamed', { name })}
          onClick={() => setRemoving(true)}
        >
          {t('payments.removeCard')}
        </Button>
      </div>
      <AlertDialog
        open={removing}
        onOpenChange={(open) => !removal.isPending && setRemoving(open)}
        title={t('payments.removeCardTitle')}
        description={t('payments.removeCardBody', { name })}
        confirmLabel={t('payments.removeCard')}
        cancelLabel={t('ui.cancel')}
        onConfirm={() => removal.mutate({ id: card.id })}
        loading={removal.isPending}
      />
    </li>
  )
}
