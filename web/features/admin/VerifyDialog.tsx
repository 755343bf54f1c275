// Setting or removing one person's verification, with notes; above it what they handed in and wait to hear about.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Field } from '../../ui/Field.tsx'
import { Textarea } from '../../ui/Input.tsx'
import { toast } from '../../ui/Toaster.tsx'
import { type Person, useVerifyPerson } from './api.ts'
import { Documents } from './Documents.tsx'
import { SubmissionReview } from './SubmissionReview.tsx'
import type { Submission } from './verifications.ts'

type VerifyDialogProps = {
  person: Person
  /** What waits for a decision, if anything does. */
  submission?: Submission
  onClose: () => void
}

export function VerifyDialog({ person, submission, onClose }: VerifyDialogProps) {
  const { t } = useTranslation()
  const [notes, setNotes] = useState(person.verification_notes ?? '')
  const saving = useVerifyPerson()
  const verified = person.verified_by_admin
  const name = person.full_name || person.email || t('admin.unnamed')

  const documents = <Documents personId={person.id} />
  // One main act: while something waits, that is its decision.
  const footerAct = verified ? 'danger' : submission ? 'secondary' : 'primary'

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
      size={submission ? 'md' : 'sm'}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button variant={footerAct} loading={saving.isPending} onClick={save}>
            {t(verified ? 'admin.removeVerification' : 'admin.verifyUser')}
          </Button>
        </>
      }
    >
      {submission ? (
        <SubmissionReview submission={submission} name={name} documents={documents} onDecided={onClose} />
      ) : (
        documents
      )}
      <Field label={t('admin.notes')} hint={t('admin.notesHint')} optional>
        <Textarea value={notes} maxLength={2000} onChange={(event) => setNotes(event.target.value)} />
      </Field>
    </Dialog>
  )
}
