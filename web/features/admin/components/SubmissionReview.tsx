// What a tasker handed in to be verified, and an admin's decision: approve it, or refuse it with a reason.
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { FieldError } from '../../../ui/form/Field.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { type Person, usePersonDocuments } from '../api/people.ts'
import { type Submission, useDecideVerification } from '../api/verifications.ts'
import { Documents } from './Documents.tsx'
import { NameChange } from './NameChange.tsx'
import { ReasonField, useReason } from './ReasonField.tsx'
import { SubmissionFacts } from './SubmissionFacts.tsx'

type ReviewProps = {
  person: Person
  submission: Submission
  /** The person as the dialog calls them. */
  name: string
  onDecided: () => void
}

export function SubmissionReview({ person, submission, name, onDecided }: ReviewProps) {
  const { t } = useTranslation()
  const documents = usePersonDocuments(submission.user_id)
  const shown = (documents.data?.length ?? 0) > 0
  const [idVerified, setIdVerified] = useState(false)
  const [unconfirmed, setUnconfirmed] = useState(false)
  const [backgroundChecked, setBackgroundChecked] = useState(false)
  const [refusing, setRefusing] = useState(false)
  const reason = useReason()
  const deciding = useDecideVerification(submission, ({ approved }) => {
    toast.success(t(approved ? 'admin.approved' : 'admin.refused'), {
      description: t(approved ? 'admin.approvedBody' : 'admin.refusedBody', { name }),
    })
    onDecided()
  })
  const approve = () => {
    setUnconfirmed(!idVerified)
    if (idVerified) deciding.mutate({ approved: true, backgroundChecked })
  }
  const refuse = () => {
    const text = reason.checked()
    if (text) deciding.mutate({ approved: false, reason: text })
  }

  return (
    <section className="mb-6 rounded-md border border-line-strong p-4">
      <NameChange person={person} legalName={submission.legal_name} />
      <SubmissionFacts submission={submission} />
      <Documents personId={submission.user_id} />
      {refusing ? (
        <ReasonField reason={reason} label={t('admin.refusalReason')} />
      ) : (
        <>
          {documents.isSuccess && !shown && <p className="mb-2">{t('admin.documentNeeded')}</p>}
          <Checkbox
            label={t('admin.idConfirmed')}
            hint={t('admin.idConfirmedHint')}
            checked={idVerified}
            disabled={!shown}
            onChange={(event) => setIdVerified(event.target.checked)}
          />
          {unconfirmed && !idVerified && <FieldError>{t('admin.idUnconfirmed')}</FieldError>}
          {submission.background_check_consent && (
            <Checkbox
              label={t('admin.backgroundPassed')}
              checked={backgroundChecked}
              onChange={(event) => setBackgroundChecked(event.target.checked)}
            />
          )}
        </>
      )}
      {deciding.error && (
        <div className="mt-3">
          <FieldError>{errorText(deciding.error)}</FieldError>
        </div>
      )}
      <div className="mt-4 flex flex-wrap justify-end gap-3">
        {refusing ? (
          <>
            <Button variant="secondary" onClick={() => setRefusing(false)}>
              {t('admin.dontRefuse')}
            </Button>
            <Button variant="danger" loading={deciding.isPending} onClick={refuse}>
              {t('admin.sendRefusal')}
            </Button>
          </>
        ) : (
          <>
            <Button variant="secondary" disabled={deciding.isPending} onClick={() => setRefusing(true)}>
              {t('admin.refuse')}
            </Button>
            <Button loading={deciding.isPending} disabled={!shown} onClick={approve}>
              {t('admin.approve')}
            </Button>
          </>
        )}
      </div>
    </section>
  )
}
