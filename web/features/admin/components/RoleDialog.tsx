// Giving a person another role: one at a time, and the last admin stays one, which the database says.
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../lib/session.tsx'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Form, SubmissionError } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { setRole } from '../api/accounts.ts'
import { ROLES, roleSchema } from '../schema.ts'

type RoleDialogProps = { personId: string; name: string; role: Role | null; onClose: () => void }

export function RoleDialog({ personId, name, role, onClose }: RoleDialogProps) {
  const { t } = useTranslation()
  const form = useZodForm(roleSchema, { defaultValues: { role: role ?? 'task_giver' } })
  const changing = useAction(setRole(personId), {
    onSuccess: (_, chosen) => {
      toast.success(
        t('backOffice.people.roleToast', { name, role: t(`backOffice.people.role.${chosen.role}`) }),
      )
      onClose()
    },
  })
  return (
    <AlertDialog
      open
      onOpenChange={(open) => !open && !changing.isPending && onClose()}
      title={t('backOffice.people.roleTitle', { name })}
      description={t('backOffice.people.roleBody')}
      confirmLabel={t('backOffice.people.changeRole')}
      onConfirm={form.handleSubmit(changing.mutate)}
      loading={changing.isPending}
    >
      <Form form={form} submission={changing} onSubmit={changing.mutate}>
        <RadioCards
          legend={t('backOffice.people.roleLegend')}
          options={ROLES.map((value) => ({
            value,
            title: t(`backOffice.people.role.${value}`),
            hint: t(`backOffice.people.roleHint.${value}`),
          }))}
          {...form.register('role')}
        />
        <SubmissionError />
      </Form>
    </AlertDialog>
  )
}
