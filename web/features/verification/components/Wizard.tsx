// The wizard's frame: the current step, moving forward and back, and the submission. Typed input survives a reload,
// except the person's identity, which is typed again. The pictures are on the server by then.
import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { readDraft } from '../../../lib/drafts.ts'
import { errorText } from '../../../lib/errorText.ts'
import { paths } from '../../../lib/paths.ts'
import { profileKey } from '../../../lib/queries/profile.ts'
import { useUserId } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Form } from '../../../ui/form/Form.tsx'
import { refusedField, showRefusedField } from '../../../ui/form/refusedField.ts'
import { UnsavedChanges } from '../../../ui/form/UnsavedChanges.tsx'
import { useZodForm, type ZodForm } from '../../../ui/form/useZodForm.ts'
import { StepStrip } from '../../../ui/StepStrip.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { submitVerification } from '../api/actions.ts'
import { myVerificationQuery } from '../api/queries.ts'
import {
  type Answers,
  firstIncompleteStep,
  IDENTITY_ANSWERS,
  noAnswers,
  stepSchema,
  typedList,
} from '../schema.ts'
import { Identity } from './Identity.tsx'
import { Legal } from './Legal.tsx'
import { Skills } from './Skills.tsx'
import { Tax } from './Tax.tsx'

const steps = [Legal, Identity, Skills, Tax]
const LAST_STEP = steps.length - 1

type WizardProps = {
  /** The answers of a submission that was refused. */
  before: Answers | null
  /** Of the profile: the wizard begins with them. */
  skills: string[]
  /** They are being sent, or were not accepted after all. */
  onSending: (sending: boolean) => void
}

export function Wizard({ before, skills, onSending }: WizardProps) {
  const { t } = useTranslation()
  const userId = useUserId()
  const draft = `verification:${userId}`
  const [initial] = useState(() => ({
    ...(before ?? noAnswers),
    // Skills of an earlier submission are on the profile, less those removed since.
    ...((!before || skills.length > 0) && { skills: typedList(skills) }),
  }))
  const { step, goOn, heading } = useStep(initial, draft)
  // Name and date of birth are not stored: the first step is shown again, and says why.
  const [startsOver] = useState(() => before === null && readDraft(draft) !== null)
  const form = useZodForm(stepSchema(step), {
    defaultValues: initial,
    draft,
    secret: IDENTITY_ANSWERS,
  })
  const submitting = useSubmission(form, before !== null, onSending)

  const accepted = form.watch(['terms_accepted', 'privacy_accepted']).every(Boolean)

  const advance = () => {
    if (step === LAST_STEP) {
      onSending(true)
      return submitting.mutate(form.getValues())
    }
    goOn()
  }

  const Step = steps[step] ?? Legal
  const { dirtyFields } = form.formState
  return (
    <>
      {/* Everything else is there again after the way back. */}
      <UnsavedChanges when={IDENTITY_ANSWERS.some((name) => dirtyFields[name]) && !submitting.isPending} />
      <StepStrip
        label={t('verification.progress')}
        names={[
          t('verification.legal'),
          t('verification.identity'),
          t('verification.skillsStep'),
          t('verification.tax'),
        ]}
        step={step}
        className="mb-7"
      />
      <Form form={form} submission={submitting} className="" onSubmit={advance}>
        <h2 ref={heading} tabIndex={-1} className="mb-5 scroll-mt-28 text-2xl focus-visible:outline-none">
          {t(`verification.step${step as 0 | 1 | 2 | 3}Title`)}
        </h2>
        {startsOver && step === 0 && (
          <p role="status" className="mb-5 rounded-md bg-sky-soft p-4">
            {t('verification.startsOver')}
          </p>
        )}
        <div className="flex flex-col gap-5">
          <Step />
        </div>
        <StepButtons step={step} accepted={accepted} submitting={submitting.isPending} />
      </Form>
    </>
  )
}

type StepButtonsProps = { step: number; accepted: boolean; submitting: boolean }

function StepButtons({ step, accepted, submitting }: StepButtonsProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  return (
    <div className="mt-7 flex flex-wrap justify-between gap-3 border-t border-line pt-5">
      {step > 0 ? (
        <Button variant="secondary" onClick={() => navigate(-1)} disabled={submitting}>
          {t('ui.back')}
        </Button>
      ) : (
        <span />
      )}
      {step < LAST_STEP ? (
        <Button type="submit" disabled={!accepted}>
          {t('ui.continue')}
        </Button>
      ) : (
        <Button type="submit" disabled={submitting}>
          {t(submitting ? 'verification.submitting' : 'verification.submit')}
        </Button>
      )}
    </div>
  )
}

/** The current step, a place in the browser's history, so that its Back leads a step back. */
function useStep(initial: Answers, draft: string) {
  const navigate = useNavigate()
  const { state } = useLocation()
  const requested = (state as { step?: number } | null)?.step ?? 0
  const [furthest, setFurthest] = useState(() =>
    firstIncompleteStep({ ...initial, ...readDraft<Answers>(draft) }),
  )
  const step = requested <= furthest ? requested : 0
  const heading = useRef<HTMLHeadingElement>(null)
  const shown = useRef(step)

  // Each step is read from its heading on, also by those who do not see it change.
  useEffect(() => {
    if (shown.current === step) return
    shown.current = step
    heading.current?.focus({ preventScroll: true })
    heading.current?.scrollIntoView({ block: 'start' })
  }, [step])

  const goOn = () => {
    setFurthest(Math.max(furthest, step + 1))
    navigate(paths.verification, { state: { step: step + 1 } })
  }
  return { step, goOn, heading }
}

/** `again`: the answers of a refused submission are sent once more. */
function useSubmission(form: ZodForm<Answers>, again: boolean, onSending: WizardProps['onSending']) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const userId = useUserId()
  const queryClient = useQueryClient()
  return useAction(submitVerification(userId, again), {
    onSuccess: () => {
      form.dropDraft()
      queryClient.invalidateQueries({ queryKey: profileKey(userId) })
      queryClient.removeQueries({ queryKey: myVerificationQuery(userId).queryKey })
      toast.success(t('verification.submitted'), { description: t('verification.submittedBody') })
      navigate(paths.dashboard, { replace: true })
    },
    onError: (error) => {
      onSending(false)
      // The only field that the database alone can judge: with the profile's own skills they may be too many.
      if (refusedField(form, error) === 'skills') {
        navigate(paths.verification, { state: { step: steps.indexOf(Skills) } })
        showRefusedField(form, error)
      }
      toast.error(t('verification.error'), { description: errorText(error) })
    },
  })
}
