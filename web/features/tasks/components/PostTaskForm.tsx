// The form of a new or changed task, with a preview of its card and the fees next to it.
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { paths, taskPath } from '../../../lib/paths.ts'
import { Button } from '../../../ui/Button.tsx'
import { Form, SubmissionError, SubmitButton } from '../../../ui/form/Form.tsx'
import { refusedField } from '../../../ui/form/refusedField.ts'
import { StepStrip } from '../../../ui/StepStrip.tsx'
import { waitingApplicationsQuery } from '../api/queries.ts'
import { type TaskFormOptions, type TaskFormState, useTaskForm } from '../useTaskForm.ts'
import { type SubmissionOptions, useTaskSubmission } from '../useTaskSubmission.ts'
import { AskingFirst } from './AskedFirst.tsx'
import { FarPoint } from './FarPoint.tsx'
import { CardPreview } from './PostTaskPreview.tsx'
import { PaySection, WhatSection, WhereSection } from './PostTaskSections.tsx'

type PostTaskFormProps = TaskFormOptions &
  SubmissionOptions & {
    onAskNobody?: () => void
    /** Takes pictures that were shared with the app. */
    brought?: (() => Promise<File[]>) | undefined
  }

export function PostTaskForm({ onAskNobody, brought, ...props }: PostTaskFormProps) {
  const { user, asked = null, repeated, changed } = props
  const { t } = useTranslation()
  const state = useTaskForm(props)
  const { posting, submit, farPoint } = useTaskSubmission(props, state)
  const { form, place, steps } = state
  const { step } = place
  const busy = posting.isPending || posting.isSuccess
  const view = (at: number) => ({ hidden: step !== null && step !== at, asStep: step !== null })
  return (
    <Form
      form={form}
      submission={posting}
      onSubmit={submit}
      onInvalid={steps.showFirst}
      onContinue={steps.advance}
      className="grid grid-cols-[minmax(0,1fr)] items-start gap-x-12 gap-y-8 max-sm:flex max-sm:flex-col max-sm:items-stretch max-sm:gap-y-5 lg:grid-cols-[minmax(0,1fr)_23rem]"
    >
      <div ref={steps.parts} onChange={steps.onChange} className="flex min-w-0 flex-col gap-10 max-sm:gap-5">
        {step !== null && (
          <StepStrip
            label={t('tasks.postSteps')}
            names={[t('tasks.stepWhat'), t('tasks.sectionWhere'), t('tasks.stepPrice')]}
            step={step}
          />
        )}
        {asked && !step && onAskNobody && <AskingFirst tasker={asked} onAskNobody={onAskNobody} />}
        {changed && <ApplicantsNotified taskId={changed.id} />}
        {repeated && !step && !form.keptDraft && (
          <p className="rounded-md bg-sky-soft px-4 py-3">{t('tasks.repeated')}</p>
        )}
        <KeptDraft state={state} changes={changed !== undefined} busy={busy} />
        <WhatSection userId={user?.id} brought={brought} {...view(0)} />
        <WhereSection asked={user ? asked : null} {...view(1)} />
        <PaySection tasker={asked?.full_name} {...view(2)} />
      </div>
      <aside className="flex flex-col gap-6 max-sm:contents lg:sticky lg:top-24">
        <CardPreview review={step !== null && !steps.advance} />
        <div className="flex flex-col gap-3 max-sm:contents">
          {/* On a phone the thumb has them at hand, however far the page is scrolled. */}
          <div className="foot-bar flex flex-col gap-3 max-sm:sticky max-sm:bottom-0 max-sm:z-20 max-sm:-mx-4 max-sm:border-t max-sm:border-line max-sm:bg-paper max-sm:px-4 max-sm:pt-2.5 max-sm:pb-[max(0.625rem,env(safe-area-inset-bottom))]">
            {/* A refusal of the whole task, such as a limit; that of a field is shown there. */}
            {!refusedField(form, posting.error) && <SubmissionError />}
            <div className="flex gap-3">
              {steps.back && (
                <Button variant="secondary" size="lg" onClick={steps.back} disabled={posting.isPending}>
                  {t('ui.back')}
                </Button>
              )}
              <SubmitButton size="lg" className="min-w-0 flex-1 shrink" loading={busy}>
                {changed
                  ? t('tasks.saveChanges')
                  : steps.advance
                    ? t('ui.continue')
                    : asked
                      ? t('tasks.ask', { name: asked.full_name })
                      : t('tasks.postTask')}
              </SubmitButton>
            </div>
          </div>
          <Button asChild variant="ghost">
            <Link to={changed ? taskPath(changed.id) : user ? paths.dashboard : paths.landing}>
              {t('ui.cancel')}
            </Link>
          </Button>
        </div>
      </aside>
      <FarPoint {...farPoint} />
    </Form>
  )
}

/** A changed task's applicants are notified. */
function ApplicantsNotified({ taskId }: { taskId: string }) {
  const { t } = useTranslation()
  const { data: count = 0 } = useQuery(waitingApplicationsQuery(taskId))
  return (
    count > 0 && <p className="rounded-md bg-wheat-soft px-4 py-3">{t('tasks.changingTells', { count })}</p>
  )
}

type KeptDraftProps = { state: TaskFormState; changes: boolean; busy: boolean }

/** The form began with an earlier draft: it can be posted at once where it is complete, or cleared. */
function KeptDraft({ state, changes, busy }: KeptDraftProps) {
  const { form, place, steps, waited, startedOver, startOver } = state
  const { t } = useTranslation()
  if (!form.keptDraft || startedOver || (place.step !== null && place.step !== place.began)) return null
  return (
    <p className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md bg-sky-soft px-4 py-3">
      <span>{t(waited ? 'tasks.taskWaits' : changes ? 'tasks.changesKept' : 'tasks.draftKept')}</span>
      {/* A person who wrote it before signing up has read it to its end already. */}
      <span className="flex flex-wrap items-center gap-x-6 gap-y-2">
        {waited && !steps.advance && (
          <SubmitButton size="sm" loading={busy}>
            {t('tasks.postTask')}
          </SubmitButton>
        )}
        <Button variant="link" onClick={startOver}>
          {t('tasks.clearDraft')}
        </Button>
      </span>
    </p>
  )
}
