// One person's verification: what they handed in and its decision, the admin's badge, and notes for admins. An
// approval is withdrawn with a reason, because the person is notified.
import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUserId } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Form, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { Textarea } from '../../../ui/Input.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { ErrorState } from '../../../ui/States.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { type Verifiable, verifyPerson } from '../api/people.ts'
import { decideVerification, type Submission, submissionQuery } from '../api/verifications.ts'
import { notesSchema, refusalSchema } from '../schema.ts'
import { Documents } from './Documents.tsx'
import { NameChange } from './NameChange.tsx'
import { RefusalReason } from './RefusalReason.tsx'
import { SubmissionFacts } from './SubmissionFacts.tsx'
import { SubmissionReview } from './SubmissionReview.tsx'

type VerifyDialogProps = { person: Verifiable; onClose: () => void }

export function VerifyDialog({ person, onClose }: VerifyDialogProps) {
  const submission = useQuery(submissionQuery(person.id))
  if (submission.data?.verification_status === 'verified') {
    return <Approved person={person} submission={submission.data} onClose={onClose} />
  }
  return <Badge person={person} submission={submission} onClose={onClose} />
}

const nameOf = (person: Verifiable, unnamed: string) => person.full_name || person.email || unnamed

/**
 * Nothing is approved: the badge is the admin's own to give and take, and pending cases are decided in the middle.
 */
function Badge({
  person,
  submission,
  onClose,
}: VerifyDialogProps & { submission: UseQueryResult<Submission | null> }) {
  const { t } = useTranslation()
  const name = nameOf(person, t('admin.unnamed'))
  const notes = useNotes(person, name, onClose)
  const verified = person.verified_by_admin
  const waits = submission.data?.verification_status === 'pending'
  // An admin decides about the submission; the admin's own word cannot bypass it.
  const vouches = submission.data === null && !verified
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
            loading={notes.savesBadge}
            onClick={() => notes.saveBadge(!verified)}
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

/** An approved submission. Removing the approval removes the badge. */
function Approved({ person, submission, onClose }: VerifyDialogProps & { submission: Submission }) {
  const { t } = useTranslation()
  const name = nameOf(person, t('admin.unnamed'))
  const notes = useNotes(person, name, onClose)
  const [removing, setRemoving] = useState(false)
  const form = useZodForm(refusalSchema, { defaultValues: { reason: '' } })
  const deciding = useAction(decideVerification(submission), {
    onSuccess: () => {
      toast.success(t('admin.verificationRemoved'), { description: t('admin.takenBackBody', { name }) })
      onClose()
    },
  })
  const takeBack = ({ reason }: { reason: string }) => deciding.mutate({ approved: false, reason })
  const remove = () => (removing ? form.handleSubmit(takeBack)() : setRemoving(true))
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
          <Form form={form} submission={deciding} className="" onSubmit={takeBack}>
            <RefusalReason label={t('admin.removalReason')} />
          </Form>
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
function useNotes(person: Verifiable, name: string, onClose: () => void) {
  const { t } = useTranslation()
  const form = useZodForm(notesSchema, { defaultValues: { notes: person.verification_notes ?? '' } })
  const saving = useAction(verifyPerson(person, useUserId()), {
    onSuccess: (_, { verified }) => {
      if (verified === undefined) toast.success(t('admin.notesSaved'))
      else if (verified)
        toast.success(t('admin.userVerified'), { description: t('admin.userVerifiedBody', { name }) })
      else
        toast.success(t('admin.verificationRemoved'), {
          description: t('admin.verificationRemovedBody', { name }),
        })
      onClose()
    },
    onError: () => toast.error(t('admin.error'), { description: t('admin.updateFailed') }),
  })
  const savesNotes = saving.isPending && saving.variables.verified === undefined
  const field = (
    <Form form={form} className="" onSubmit={({ notes }) => saving.mutate({ notes })}>
      <form.Field name="notes" label={t('admin.notes')} hint={t('admin.notesHint')} optional>
        <Textarea maxLength={2000} />
      </form.Field>
      {form.watch('notes').trim() !== (person.verification_notes ?? '') && (
        <SubmitButton variant="secondary" size="sm" className="mt-3" loading={savesNotes}>
          {t('admin.saveNotes')}
        </SubmitButton>
      )}
    </Form>
  )
  /** Sets or removes the badge, with the notes as they are typed. */
  const saveBadge = (verified: boolean) => saving.mutate({ verified, notes: form.getValues('notes') })
  return { field, saveBadge, savesBadge: saving.isPending && !savesNotes }
}
