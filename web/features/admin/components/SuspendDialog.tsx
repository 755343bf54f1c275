// Suspending a person, with the reason that they read, and lifting it again: the question explains what each means.
import { useTranslation } from 'react-i18next'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Form, SubmissionError } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { INITIAL_FOCUS } from '../../../ui/returnFocus.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { liftSuspension, suspendPerson } from '../api/accounts.ts'
import { givenReasonSchema } from '../schema.ts'

type AccountDialogProps = { personId: string; name: string; onClose: () => void }

export function SuspendDialog({ personId, name, onClose }: AccountDialogProps) {
  const { t } = useTranslation()
  const form = useZodForm(givenReasonSchema, { defaultValues: { reason: '' } })
  const suspending = useAction(suspendPerson(personId), {
    onSuccess: () => {
      toast.success(t('backOffice.people.suspendedToast', { name }))
      onClose()
    },
  })
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !suspending.isPending && onClose()}
      title={t('backOffice.people.suspendTitle', { name })}
      description={t('backOffice.people.suspendBody')}
      confirmLabel={t('backOffice.people.suspend')}
      onConfirm={form.handleSubmit(suspending.mutate)}
      loading={suspending.isPending}
      danger
      size="md"
    >
      <Form form={form} submission={suspending} onSubmit={suspending.mutate}>
        <form.Field
          name="reason"
          label={t('backOffice.people.reason')}
          hint={t('backOffice.people.reasonHint')}
          required
        >
          <Textarea rows={3} {...INITIAL_FOCUS} />
        </form.Field>
        <SubmissionError />
      </Form>
    </AlertDialog>
  )
}

export function LiftDialog({ personId, name, onClose }: AccountDialogProps) {
  const { t } = useTranslation()
  const lifting = useAction(liftSuspension(personId), {
    onSuccess: () => {
      toast.success(t('backOffice.people.liftedToast', { name }))
      onClose()
    },
    onError: t('admin.error'),
  })
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !lifting.isPending && onClose()}
      title={t('backOffice.people.liftTitle', { name })}
      description={t('backOffice.people.liftBody')}
      confirmLabel={t('backOffice.people.lift')}
      onConfirm={() => lifting.mutate()}
      loading={lifting.isPending}
    />
  )
}
