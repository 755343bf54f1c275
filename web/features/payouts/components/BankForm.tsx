// The form of the Payout tab: the three numbers of a bank account and, where the provider asks, who is paid. The numbers
// go to the payment provider and are forgotten once they are there.

import type { TFunction } from 'i18next'
import { Trans, useTranslation } from 'react-i18next'
import { examples } from '../../../../marketplace.config.ts'
import { limits } from '../../../../shared/limits.ts'
import { config } from '../../../lib/config.ts'
import { errorText } from '../../../lib/errorText.ts'
import { FunctionFailure } from '../../../lib/functions.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { DateInput } from '../../../ui/DateInput.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { FieldError } from '../../../ui/form/Field.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { UnsavedChanges } from '../../../ui/form/UnsavedChanges.tsx'
import { useZodForm, type ZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type Saved, savePayoutAccount } from '../api/actions.ts'
import { BankRefused } from '../api/bankToken.ts'
import type { Payee } from '../api/queries.ts'
import { type Asked, type BankForm as BankValues, bankFormSchema, digitsOnly, emptyForm } from '../schema.ts'
import { TestBanks } from './TestBanks.tsx'

/** Stripe's Connected Account Agreement, which every account that Stripe pays accepts. */
const AGREEMENT = 'https://stripe.com/ca/legal/connect-account'

type BankFormProps = { payee: Payee; asked: Asked; onSaved: () => void; onCancel?: () => void }

export function BankForm({ payee, asked, onSaved, onCancel }: BankFormProps) {
  const { t } = useTranslation()
  const name = payee.name.trim()
  const cut = name.lastIndexOf(' ')
  const form = useZodForm<BankValues, BankValues>(bankFormSchema(asked), {
    defaultValues: {
      ...emptyForm,
      firstName: cut < 0 ? name : name.slice(0, cut),
      lastName: cut < 0 ? '' : name.slice(cut + 1),
      city: payee.city,
    },
  })
  const saving = useAction(savePayoutAccount(asked), {
    onSuccess: (saved) => {
      // The payee stays, in case the provider wants a correction; the numbers are cleared.
      form.reset({ ...form.getValues(), institution: '', transit: '', account: '' })
      onSaved()
      toast.success(t('payouts.saved'), { description: savedBody(saved, t) })
    },
    onError: (error) => {
      form.setError(refusedField(error) ?? 'root', { message: errorText(error) }, { shouldFocus: true })
    },
  })
  const { errors } = form.formState

  return (
    <Form form={form} submission={saving} className="flex flex-col gap-6" onSubmit={saving.mutate}>
      <UnsavedChanges when={form.formState.isDirty && !saving.isPending} />
      {asked.bank && <BankNumbers form={form} />}
      {asked.person && <PaidPerson form={form} knowsDateOfBirth={!asked.dateOfBirth} />}
      {asked.terms && <Agreement form={form} />}
      {errors.root?.message && <FieldError>{errors.root.message}</FieldError>}
      <div className="flex flex-wrap gap-3">
        <SubmitButton>{t('payouts.save')}</SubmitButton>
        {onCancel && (
          <Button variant="ghost" disabled={saving.isPending} onClick={onCancel}>
            {t('payouts.keep')}
          </Button>
        )}
      </div>
    </Form>
  )
}

type PartProps = { form: ZodForm<BankValues> }

function BankNumbers({ form }: PartProps) {
  const { t } = useTranslation()
  const { institution, transit, account } = limits.bankAccount
  const numbers = (field: 'institution' | 'transit' | 'account', max: number) => ({
    inputMode: 'numeric' as const,
    autoComplete: 'off',
    className: 'tabular',
    maxLength: max,
    onInput: (event: React.FormEvent<HTMLInputElement>) => {
      event.currentTarget.value = digitsOnly(event.currentTarget.value, max)
      form.setValue(field, event.currentTarget.value, { shouldValidate: form.formState.isSubmitted })
    },
  })
  return (
    <fieldset className="flex min-w-0 flex-col gap-5">
      <legend className="mb-1 font-semibold">{t('payouts.bank')}</legend>
      <p className="text-sm text-ink-faint">{t('payouts.whereToFind')}</p>
      <div className="grid gap-5 sm:grid-cols-2">
        <form.Field
          name="institution"
          label={t('payouts.institution')}
          hint={t('payouts.institutionHint')}
          required
        >
          <Input {...numbers('institution', institution)} placeholder="000" />
        </form.Field>
        <form.Field name="transit" label={t('payouts.transit')} hint={t('payouts.transitHint')} required>
          <Input {...numbers('transit', transit)} placeholder="11000" />
        </form.Field>
      </div>
      <form.Field
        name="account"
        label={t('payouts.accountNumber')}
        hint={t('payouts.accountNumberHint')}
        required
      >
        <Input {...numbers('account', account.max)} />
      </form.Field>
      {config.sandbox && (
        <TestBanks
          onUse={(number) => {
            form.setValue('institution', '000')
            form.setValue('transit', '11000')
            form.setValue('account', number)
            form.clearErrors()
          }}
        />
      )}
    </fieldset>
  )
}

/** `knowsDateOfBirth`: the provider has it already. */
function PaidPerson({ form, knowsDateOfBirth }: PartProps & { knowsDateOfBirth: boolean }) {
  const { t } = useTranslation()
  return (
    <fieldset className="flex min-w-0 flex-col gap-5 border-t border-line pt-5">
      <legend className="sr-only">{t('payouts.whoIsPaid')}</legend>
      <div>
        <p aria-hidden className="font-semibold">
          {t('payouts.whoIsPaid')}
        </p>
        <p className="text-sm text-ink-faint">{t('payouts.whoIsPaidHint')}</p>
      </div>
      <div className="grid gap-5 sm:grid-cols-2">
        <form.Field name="firstName" label={t('payouts.firstName')} required>
          <Input autoComplete="given-name" />
        </form.Field>
        <form.Field name="lastName" label={t('payouts.lastName')} required>
          <Input autoComplete="family-name" />
        </form.Field>
      </div>
      {knowsDateOfBirth ? (
        <p className="text-sm text-ink-faint">{t('payouts.dateOfBirthKnown')}</p>
      ) : (
        <form.Field name="dateOfBirth" label={t('payouts.dateOfBirth')} required className="sm:max-w-56">
          <DateInput autoComplete="bday" />
        </form.Field>
      )}
      <form.Field name="address" label={t('payouts.address')} required>
        <Input autoComplete="address-line1" />
      </form.Field>
      <div className="grid gap-5 sm:grid-cols-2">
        <form.Field name="city" label={t('payouts.city')} required>
          <Input autoComplete="address-level2" />
        </form.Field>
        <form.Field name="postalCode" label={t('payouts.postalCode')} required>
          <Input autoComplete="postal-code" placeholder={examples.postalCode} />
        </form.Field>
      </div>
    </fieldset>
  )
}

function Agreement({ form }: PartProps) {
  const { errors } = form.formState
  const termsProblem = useErrorText()(errors.terms)
  return (
    <div>
      <Checkbox
        label={
          <Trans
            i18nKey="payouts.terms"
            components={{
              agreement: (
                // biome-ignore lint/a11y/useAnchorContent: Trans puts the text of the sentence inside
                <a
                  href={AGREEMENT}
                  target="_blank"
                  rel="noreferrer"
                  className="text-sky underline underline-offset-4 hover:text-sky-deep"
                />
              ),
            }}
          />
        }
        aria-invalid={errors.terms ? true : undefined}
        aria-describedby={errors.terms ? 'payout-terms-error' : undefined}
        {...form.register('terms')}
      />
      {termsProblem && <FieldError id="payout-terms-error">{termsProblem}</FieldError>}
    </div>
  )
}

function savedBody({ status, requirements }: Saved, t: TFunction): string {
  if (status === 'active') return t('payouts.savedActive')
  return t(requirements.length > 0 ? 'payouts.savedMore' : 'payouts.savedPending')
}

/** The field that a refusal of the payment provider is about. */
function refusedField(error: Error): keyof BankValues | undefined {
  if (!(error instanceof BankRefused) && !(error instanceof FunctionFailure)) return undefined
  const param = 'param' in error ? (error.param ?? '') : (error.field ?? '')
  const fields: [RegExp, keyof BankValues][] = [
    [/account_number/, 'account'],
    [/routing_number/, 'transit'],
    [/first_?name/i, 'firstName'],
    [/last_?name/i, 'lastName'],
    [/dob|dateOfBirth/, 'dateOfBirth'],
    [/postal_?code/i, 'postalCode'],
    [/city/, 'city'],
    [/address/, 'address'],
    [/tos_acceptance|terms/, 'terms'],
  ]
  return fields.find(([pattern]) => pattern.test(param))?.[1]
}
