// The roles of a person: one or several, and the last admin stays one, which the database says.
import type { FieldError as Problem } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import type { Role } from '../../../lib/session.tsx'
import { AlertDialog } from '../../../ui/AlertDialog.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { FieldError } from '../../../ui/form/Field.tsx'
import { Form, SubmissionError } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { setRoles } from '../api/accounts.ts'
import { ROLES, rolesSchema } from '../schema.ts'

type RoleDialogProps = { personId: string; name: string; roles: Role[]; onClose: () => void }

export function RoleDialog({ personId, name, roles, onClose }: RoleDialogProps) {
  const { t } = useTranslation()
  const form = useZodForm(rolesSchema, { defaultValues: { roles } })
  const changing = useAction(setRoles(personId), {
    onSuccess: (_, chosen) => {
      const names = ROLES.filter((role) => chosen.roles.includes(role)).map((role) =>
        t(`backOffice.people.role.${role}`),
      )
      toast.success(t('backOffice.people.roleToast', { name, role: names.join(' + ') }))
      onClose()
    },
  })
  const problem = useErrorText()(form.formState.errors.roles as Problem | undefined)
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
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 font-semibold">{t('backOffice.people.roleLegend')}</legend>
          {ROLES.map((value) => (
            <Checkbox
              key={value}
              value={value}
              label={t(`backOffice.people.role.${value}`)}
              hint={t(`backOffice.people.roleHint.${value}`)}
              {...form.register('roles')}
            />
          ))}
          {problem && <FieldError>{problem}</FieldError>}
        </fieldset>
        <SubmissionError />
      </Form>
    </AlertDialog>
  )
}
