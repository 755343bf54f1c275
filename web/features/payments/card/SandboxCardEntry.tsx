// Card entry of our own for test payments; what is typed goes to the sandbox's Stripe API and nowhere else.
import type { TFunction } from 'i18next'
import { type Ref, useCallback, useEffect, useImperativeHandle, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Field } from '../../../ui/form/Field.tsx'
import { Input } from '../../../ui/Input.tsx'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import { AuthenticationFrame } from './AuthenticationFrame.tsx'
import { cardCode, cardExpiry, cardNumber } from './digits.ts'
import { CardFieldProblem, intentOf, type PaymentProvider } from './paymentProvider.ts'
import { sandboxStripe, type TypedCard } from './sandboxStripe.ts'

/** Stripe's published test cards, each for one outcome. */
const testCards = [
  { number: '4242424242424242', outcome: 'payments.testSucceeds' },
  { number: '4000000000000002', outcome: 'payments.testDeclined' },
  { number: '4000000000009995', outcome: 'payments.testInsufficient' },
  { number: '4000002500003155', outcome: 'payments.testAuthentication' },
] as const

type Authentication = { url: string; answered: () => void }

type SandboxCardEntryProps = {
  publishableKey: string
  disabled: boolean
  hidden?: boolean
  failure?: Error | null
  refusal?: string
  onEdit?: () => void
  ref: Ref<PaymentProvider>
}

export function SandboxCardEntry({ publishableKey, disabled, hidden, ...props }: SandboxCardEntryProps) {
  const { failure, refusal, onEdit, ref } = props
  const { t } = useTranslation()
  const [number, setNumber] = useState('')
  const [expiry, setExpiry] = useState('')
  const [code, setCode] = useState('')
  const { authentication, authenticate } = useAuthentication()
  const fields = useRef<HTMLFieldSetElement>(null)
  const typed = useRef({ number, expiry, code })
  useEffect(() => {
    typed.current = { number, expiry, code }
  }, [number, expiry, code])

  useImperativeHandle(
    ref,
    () => ({
      ...sandboxProvider(publishableKey, () => enteredCard(typed.current, t), authenticate, t),
      focus: (failure) => fields.current?.querySelector<HTMLElement>(`[name=${fieldOf(failure)}]`)?.focus(),
    }),
    [publishableKey, authenticate, t],
  )

  const refusalOf = (field: CardFieldProblem['field']) =>
    failure instanceof CardFieldProblem && failure.field === field ? refusal : undefined
  const use = (card: string) => {
    setNumber(cardNumber(card))
    setExpiry('12 / 34')
    setCode('123')
    onEdit?.()
  }

  if (authentication)
    return <AuthenticationFrame url={authentication.url} onAnswered={authentication.answered} />
  if (hidden) return null
  return (
    <fieldset ref={fields} disabled={disabled} onChange={onEdit} className="flex min-w-0 flex-col gap-4">
      <legend className="sr-only">{t('ui.card.any')}</legend>
      <Field label={t('payments.cardNumber')} refusal={refusalOf('number')}>
        <Input
          {...INITIAL_FOCUS}
          name="number"
          inputMode="numeric"
          autoComplete="cc-number"
          placeholder="1234 1234 1234 1234"
          className="tabular"
          value={number}
          onChange={(event) => setNumber(cardNumber(event.target.value))}
        />
      </Field>
      {/* In line at the bottom: one label may take two lines and the other one. */}
      <div className="grid grid-cols-[2fr_3fr] items-end gap-4 sm:grid-cols-2">
        <Field label={t('payments.cardExpiry')} refusal={refusalOf('expiry')}>
          <Input
            name="expiry"
            inputMode="numeric"
            autoComplete="cc-exp"
            placeholder={t('payments.cardExpiryPlaceholder')}
            className="tabular"
            value={expiry}
            onChange={(event) => setExpiry(cardExpiry(event.target.value, expiry))}
          />
        </Field>
        <Field label={t('payments.cardCode')} refusal={refusalOf('code')}>
          <Input
            name="code"
            inputMode="numeric"
            autoComplete="cc-csc"
            placeholder="123"
            className="tabular"
            value={code}
            onChange={(event) => setCode(cardCode(event.target.value))}
          />
        </Field>
      </div>
      <TestCards disabled={disabled} onUse={use} />
    </fieldset>
  )
}

/** The bank's page, shown while it asks for authentication; `authenticate` resolves once it was answered. */
function useAuthentication() {
  const [authentication, setAuthentication] = useState<Authentication | null>(null)
  const authenticate = useCallback(async (url: string) => {
    await new Promise<void>((answered) => setAuthentication({ url, answered }))
    setAuthentication(null)
  }, [])
  return { authentication, authenticate }
}

type Typed = { number: string; expiry: string; code: string }

/** Throws a CardFieldProblem for the first field that is not complete. */
function enteredCard(typed: Typed, t: TFunction): TypedCard {
  const [month = '', year = ''] = typed.expiry.split(' / ')
  const card = { number: typed.number.replaceAll(' ', ''), month, year, cvc: typed.code }
  if (card.number.length < 12) throw new CardFieldProblem('number', t('payments.numberIncomplete'))
  if (month.length < 2 || year.length < 2)
    throw new CardFieldProblem('expiry', t('payments.expiryIncomplete'))
  if (card.cvc.length < 3) throw new CardFieldProblem('code', t('payments.codeIncomplete'))
  return card
}

function sandboxProvider(
  publishableKey: string,
  entered: () => TypedCard,
  authenticate: (url: string) => Promise<void>,
  t: TFunction,
): Omit<PaymentProvider, 'focus'> {
  const stripe = sandboxStripe(publishableKey)
  const confirm = async (clientSecret: string, savedCard?: string) => {
    const attempt = await stripe.confirm(clientSecret, savedCard ?? entered())
    if ('state' in attempt) return attempt.state
    await authenticate(attempt.authenticateAt)
    return stripe.afterAuthentication(clientSecret)
  }
  return {
    retrieve: stripe.retrieve,
    pay: confirm,
    async save(clientSecret) {
      if ((await confirm(clientSecret)) !== 'paid') throw new Error(t('payments.cardNotSaved'))
      return intentOf(clientSecret)
    },
  }
}

function TestCards({ disabled, onUse }: { disabled: boolean; onUse: (number: string) => void }) {
  const { t } = useTranslation()
  return (
    <div className={classes('rounded-md bg-wheat-soft px-3 pt-3 pb-2 text-sm', disabled && 'opacity-55')}>
      <p className="font-semibold text-wheat-ink">{t('payments.testMode')}</p>
      <ul className="mt-1">
        {testCards.map((card) => (
          <li key={card.number} className="flex items-center gap-x-3">
            <span className="tabular whitespace-nowrap">{cardNumber(card.number)}</span>
            <span className="min-w-0 flex-1 text-ink-soft">{t(card.outcome)}</span>
            <Button
              variant="link"
              size="sm"
              className="min-h-9 text-sm"
              aria-label={t('payments.useTestCard', { number: cardNumber(card.number) })}
              onClick={() => onUse(card.number)}
            >
              {t('payments.use')}
            </Button>
          </li>
        ))}
      </ul>
    </div>
  )
}

/** Where one goes on after a failure: at the field that it is about, else at the first. */
const fieldOf = (failure: unknown) => (failure instanceof CardFieldProblem ? failure.field : 'number')
