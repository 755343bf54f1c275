// Setting or removing one person's verification, with notes.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Textarea } from '../../ui/Input.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { type Person, useVerifyPerson } from './api.ts'
import { Documents } from './Documents.tsx'

export function VerifyDialog({ person, onClose }: { person: Person; onClose: () => void }) {
  const { t } = useTranslation()
  const [notes, setNotes] = useState(person.verification_notes ?? '')
  const saving = useVerifyPerson()
  const verified = person.verified_by_admin
  const name = person.full_name || person.email || t('admin.unnamed')

  const save = () =>
    saving.mutate(
      { id: person.id, verified: !verified, notes },
      {
        onSuccess: () => {
          if (verified) {
            toast.success(t('admin.verificationRemoved'), {
              description: t('admin.verificationRemovedBody', { name }),
            })
          } else {
            toast.success(t('admin.userVerified'), { description: t('admin.userVerifiedBody', { name }) })
          }
          onClose()
        },
        onError: () => toast.error(t('admin.error'), { description: t('admin.updateFailed') }),
      },
    )

  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('admin.dialogTitle', { name })}
      size="sm"
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button variant={verified ? 'danger' : 'primary'} loading={saving.isPending} onClick={save}>
            {t(verified ? 'admin.removeVerification' : 'admin.verifyUser')}
          </Button>
        </>
      }
    >
      <Documents personId={person.id} />
      <Field label={t('admin.notes')} hint={t('admin.notesHint')} optional>
        <Textarea value={notes} maxLength={2000} onChange={(event) => setNotes(event.target.value)} />
      </Field>
    </Dialog>
  )
}
