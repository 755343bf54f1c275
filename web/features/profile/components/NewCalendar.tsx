// The form that imports a calendar by its address.
import { useTranslation } from 'react-i18next'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Input } from '../../../ui/Input.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { importCalendar } from '../api/calendars.ts'
import { calendarSchema } from '../calendars.ts'

export function NewCalendar({ userId }: { userId: string }) {
  const { t } = useTranslation()
  const form = useZodForm(calendarSchema, { defaultValues: { address: '', name: '' } })
  const adding = useAction(importCalendar(userId), {
    onSuccess: () => {
      form.reset()
      toast.success(t('calendars.import.added'))
    },
  })
  return (
    <Form
      form={form}
      submission={adding}
      onSubmit={adding.mutate}
      className="flex flex-col gap-4 rounded-md bg-sunken p-4"
    >
      <form.Field
        name="address"
        label={t('calendars.import.address')}
        hint={t('calendars.import.addressHint')}
        required
      >
        <Input dir="ltr" inputMode="url" autoComplete="off" spellCheck={false} />
      </form.Field>
      <form.Field name="name" label={t('calendars.import.name')} optional>
        <Input />
      </form.Field>
      <SubmissionError />
      <SubmitButton variant="secondary" className="self-start">
        {t('calendars.import.add')}
      </SubmitButton>
    </Form>
  )
}
