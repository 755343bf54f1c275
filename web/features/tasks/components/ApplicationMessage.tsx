// The message of an application, in the form at the posted price and in that of an offer.
import { useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { formatNumber } from '../../../lib/format.ts'
import { ContactsWillBeHidden } from '../../../ui/ContactNotice.tsx'
import { FormField } from '../../../ui/form/FormField.tsx'
import { Textarea } from '../../../ui/Input.tsx'
import { characters } from '../schema.ts'

type WithMessage = { message: string }

export function ApplicationMessage() {
  const { t } = useTranslation()
  const message = useWatch<WithMessage, 'message'>({ name: 'message' })
  return (
    <>
      <FormField<WithMessage>
        name="message"
        label={t('tasks.applyMessage')}
        hint={t('tasks.applyMessageHint', {
          count: formatNumber(characters(message)),
          max: formatNumber(limits.applicationMessage.max),
        })}
        optional
      >
        <Textarea rows={4} placeholder={t('tasks.applyMessagePlaceholder')} className="max-h-72" />
      </FormField>
      <ContactsWillBeHidden text={message} />
    </>
  )
}
