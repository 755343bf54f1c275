// Which card pays: one that is saved, or another that is entered.
import type { Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { cardName } from '../../../lib/cardName.ts'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import type { SavedCard } from '../api/cards.ts'
import { cardExpires } from './cardText.ts'

/** `chosen` is the saved card's id at the provider, or null for another card. */
export function CardChoice({
  cards,
  chosen,
  disabled,
  onChoose,
  ref,
}: {
  cards: SavedCard[]
  chosen: string | null
  disabled: boolean
  onChoose: (card: string | null) => void
  ref?: Ref<HTMLFieldSetElement>
}) {
  const { t } = useTranslation()
  const options = [
    ...cards.map((card) => ({
      id: card.stripe_payment_method_id,
      name: cardName(card, t),
      note: cardExpires(card, t),
    })),
    { id: null, name: t('payments.anotherCard'), note: undefined },
  ]
  return (
    <fieldset ref={ref} disabled={disabled} className="flex min-w-0 flex-col">
      <legend className="mb-1 font-semibold">{t('payments.payWith')}</legend>
      <div className="divide-y divide-line rounded-md border border-line">
        {options.map(({ id, name, note }) => (
          <label key={id ?? 'another'} className="flex min-h-12 cursor-pointer items-center gap-3 px-3 py-2">
            <input
              type="radio"
              name="card"
              className="size-5 shrink-0 accent-wheat-deep"
              checked={chosen === id}
              {...(chosen === id && INITIAL_FOCUS)}
              onChange={() => onChoose(id)}
            />
            <span className="tabular min-w-0 flex-1">{name}</span>
            {note && <span className="tabular text-sm text-ink-soft">{note}</span>}
          </label>
        ))}
      </div>
    </fieldset>
  )
}
