// One person's verification: what they handed in and its decision, the admin's badge, and notes for admins. What was approved
// is taken back with a reason, because the person hears of it.
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Field, FieldError } from '../../../ui/form/Field.tsx'
import { Textarea } from '../../../ui/Input.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { type Person, useVerifyPerson } from '../api/people.ts'
import { type Submission, useDecideVerification, useSubmission } from '../api/verifications.ts'
import { Documents } from './Documents.tsx'
import { NameChange } from './NameChange.tsx'
import { ReasonField, useReason } from './ReasonField.tsx'
import { SubmissionFacts } from './SubmissionFacts.tsx'
import { SubmissionReview } from './SubmissionReview.tsx'

type VerifyDialogProps = { person: Person; onClose: () => void }

export function VerifyDialog({ person, onClose }: VerifyDialogProps) {
  const submission = useSubmission(person.id)
  if (submission.data?.verification_status === 'verified') {
    return <Approved person={person} submission={submission.data} onClose={onClose} />
  }
  return <Badge person={person} submission={submission} onClose={onClose} />
}

const nameOf = (person: Person, unnamed: string) => person.full_name || person.email || unnamed

/** Nothing is approved: the badge is the admin's own to give and take, and what waits is decided in the middle. */
function Badge({
  person,
  submission,
  onClose,
}: VerifyDialogProps & { submission: ReturnType<typeof useSubmission> }) {
  const { t } = useTranslation()
  const name = nameOf(person, t('admin.unnamed'))
  const notes = useNotes(person, onClose)
  const verified = person.verified_by_admin
  const waits = submission.data?.verification_status === 'pending'
  // What was handed in is what is decided about: an admin's own word goes round none of it.
  const vouches = submission.data === null && !verified
  const turn = () =>
    notes.save(!verified, () =>
      verified
        ? toast.success(t('admin.verificationRemoved'), {
            description: t('admin.verificationRemovedBody', { name }),
          })
        : toast.success(t('admin.userVerified'), { description: t('admin.userVerifiedBody', { name }) }),
    )
  return (
    <Frame
      name={name}
      wide={Boolean(submission.data)}
      onClose={onClose}
      action={
        (verified || vouches) && (
          <Button
            variant={verified ? 'danger' : 'primary'}
            disabled={submission.isPending}
            loading={notes.saving === 'badge'}
            onClick={turn}
          >
            {t(verified ? 'admin.removeVerification' : 'admin.verifyUser')}
          </Button>
        )
      }
    >
      {submission.isPending && <Spinner label={t('ui.loading')} />}
      {submission.isError && (
        <ErrorState error={submission.error} onRetry={() => submission.refetch()} className="mb-5" />
      )}
      {waits && submission.data && (
        <SubmissionReview person={person} submission={submission.data} name={name} onDecided={onClose} />
      )}
      {submission.data && !waits && (
        <section className="mb-6 rounded-md border border-line-strong p-4">
          <SubmissionFacts submission={submission.data} />
          <Documents personId={person.id} />
        </section>
      )}
      {submission.data === null && (
        <>
          <NameChange person={person} />
          {vouches && <p className="mb-4 text-ink-soft">{t('admin.ownWord', { name })}</p>}
          <Documents personId={person.id} />
        </>
      )}
      {notes.field}
    </Frame>
  )
}

/** What was handed in is approved: removing takes that back, and the badge with it. */
function Approved({ person, submission, onClose }: VerifyDialogProps & { submission: Submission }) {
  const { t } = useTranslation()
  const name = nameOf(person, t('admin.unnamed'))
  const notes = useNotes(person, onClose)
  const [removing, setRemoving] = useState(false)
  const reason = useReason()
  const deciding = useDecideVerification(submission, () => {
    toast.success(t('admin.verificationRemoved'), { description: t('admin.takenBackBody', { name }) })
    onClose()
  })
  const remove = () => {
    if (!removing) return setRemoving(true)
    const text = reason.checked()
    if (text) deciding.mutate({ approved: false, reason: text })
  }
  return (
    <Frame
      name={name}
      wide
      onClose={onClose}
      action={
        <Button variant="danger" loading={deciding.isPending} onClick={remove}>
          {t('admin.removeVerification')}
        </Button>
      }
    >
      {removing ? (
        <>
          <p className="mb-4">{t('admin.removalBody', { name })}</p>
          <ReasonField reason={reason} label={t('admin.removalReason')} />
          {deciding.error && (
            <div className="mt-3">
              <FieldError>{errorText(deciding.error)}</FieldError>
            </div>
          )}
        </>
      ) : (
        <>
          <section className="mb-6 rounded-md border border-line-strong p-4">
            <SubmissionFacts submission={submission} />
            <Documents personId={person.id} />
          </section>
          {notes.field}
        </>
      )}
    </Frame>
  )
}

function Frame({
  name,
  wide,
  action,
  onClose,
  children,
}: {
  name: string
  wide: boolean
  action: ReactNode
  onClose: () => void
  children: ReactNode
}) {
  const { t } = useTranslation()
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title={t('admin.dialogTitle', { name })}
      size={wide ? 'md' : 'sm'}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          {action}
        </>
      }
    >
      {children}
    </Dialog>
  )
}

/** The admins' notes on a person: saved with the badge, or by themselves once they are changed. */
function useNotes(person: Person, onClose: () => void) {
  const { t } = useTranslation()
  const [text, setText] = useState(person.verification_notes ?? '')
  const saving = useVerifyPerson()
  const save = (verified: boolean | undefined, onSaved: () => void) =>
    saving.mutate(
      { person, verified, notes: text },
      {
        onSuccess: () => {
          onSaved()
          onClose()
        },
        onError: () => toast.error(t('admin.error'), { description: t('admin.updateFailed') }),
      },
    )
  const field = (
    <>
      <Field label={t('admin.notes')} hint={t('admin.notesHint')} optional>
        <Textarea value={text} maxLength={2000} onChange={(event) => setText(event.target.value)} />
      </Field>
      {text.trim() !== (person.verification_notes ?? '') && (
        <Button
          variant="secondary"
          size="sm"
          className="mt-3"
          loading={saving.isPending && saving.variables.verified === undefined}
          onClick={() => save(undefined, () => toast.success(t('admin.notesSaved')))}
        >
          {t('admin.saveNotes')}
        </Button>
      )}
    </>
  )
  const busyWith = saving.isPending ? (saving.variables.verified === undefined ? 'notes' : 'badge') : null
  return { field, save, saving: busyWith }
}
