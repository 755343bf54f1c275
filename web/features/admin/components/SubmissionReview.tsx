// A submitted verification, and an admin's decision: approve it, or reject it with a reason.
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useFormContext } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/Button.tsx'
import { Checkbox } from '../../../ui/Checkbox.tsx'
import { useErrorText } from '../../../ui/form/errors.ts'
import { FieldError } from '../../../ui/form/Field.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { useZodForm } from '../../../ui/form/useZodForm.ts'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { documentsQuery, type Verifiable } from '../api/people.ts'
import { decideVerification, type Submission } from '../api/verifications.ts'
import { type Approval, approvalSchema, refusalSchema } from '../schema.ts'
import { Documents } from './Documents.tsx'
import { NameChange } from './NameChange.tsx'
import { RefusalReason } from './RefusalReason.tsx'
import { SubmissionFacts } from './SubmissionFacts.tsx'

type ReviewProps = {
  person: Verifiable
  submission: Submission
  /** The person as the dialog calls them. */
  name: string
  /** The pictures are shown beside this already. */
  picturesBeside?: boolean
  onDecided: () => void
}

export function SubmissionReview({
  person,
  submission,
  name,
  picturesBeside = false,
  onDecided,
}: ReviewProps) {
  const { t } = useTranslation()
  const documents = useQuery(documentsQuery(submission.user_id))
  const shown = (documents.data?.length ?? 0) > 0
  const approval = useZodForm(approvalSchema, {
    defaultValues: { idVerified: false, backgroundChecked: false },
  })
  const refusal = useZodForm(refusalSchema, {
    defaultValues: { reason: '' },
    draft: `refusal:${submission.id}`,
  })
  const [refusing, setRefusing] = useState(Boolean(refusal.keptDraft?.reason))
  const deciding = useAction(decideVerification(submission), {
    onSuccess: (_, { approved }) => {
      refusal.dropDraft()
      toast.success(t(approved ? 'admin.approved' : 'admin.refused'), {
        description: t(approved ? 'admin.approvedBody' : 'admin.refusedBody', { name }),
      })
      onDecided()
    },
  })

  return (
    <section className="mb-6 rounded-md border border-line-strong bg-surface p-4">
      <NameChange person={person} legalName={submission.legal_name} />
      <SubmissionFacts submission={submission} />
      {!picturesBeside && <Documents personId={submission.user_id} />}
      {refusing ? (
        <Form
          form={refusal}
          submission={deciding}
          className=""
          onSubmit={({ reason }) => deciding.mutate({ approved: false, reason })}
        >
          <RefusalReason label={t('admin.refusalReason')} />
          <div className="mt-4 flex flex-wrap justify-end gap-3">
            <Button
              variant="secondary"
              onClick={() => {
                refusal.reset()
                setRefusing(false)
              }}
            >
              {t('admin.dontRefuse')}
            </Button>
            <SubmitButton variant="danger">{t('admin.sendRefusal')}</SubmitButton>
          </div>
        </Form>
      ) : (
        <Form
          form={approval}
          submission={deciding}
          className=""
          onSubmit={({ backgroundChecked }) => deciding.mutate({ approved: true, backgroundChecked })}
        >
          <Checks submission={submission} shown={shown} missing={documents.isSuccess && !shown} />
          <div className="mt-3 empty:hidden">
            <SubmissionError />
          </div>
          <div className="mt-4 flex flex-wrap justify-end gap-3">
            <Button variant="secondary" disabled={deciding.isPending} onClick={() => setRefusing(true)}>
              {t('admin.refuse')}
            </Button>
            <SubmitButton disabled={!shown}>{t('admin.approve')}</SubmitButton>
          </div>
        </Form>
      )}
    </section>
  )
}

type ChecksProps = {
  submission: Submission
  /** The person's documents are shown: the identity can be confirmed by them. */
  shown: boolean
  /** The person has handed in no documents. */
  missing: boolean
}

function Checks({ submission, shown, missing }: ChecksProps) {
  const { t } = useTranslation()
  const errorText = useErrorText()
  const { register, formState } = useFormContext<Approval>()
  const unconfirmed = errorText(formState.errors.idVerified)
  return (
    <>
      {missing && <p className="mb-2">{t('admin.documentNeeded')}</p>}
      <Checkbox
        label={t('admin.idConfirmed')}
        hint={t('admin.idConfirmedHint')}
        disabled={!shown}
        {...register('idVerified')}
      />
      {unconfirmed && <FieldError>{unconfirmed}</FieldError>}
      {submission.background_check_consent && (
        <Checkbox label={t('admin.backgroundPassed')} {...register('backgroundChecked')} />
      )}
    </>
  )
}
