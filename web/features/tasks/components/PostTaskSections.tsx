// The parts of the form of a task: what, where and when, tools and pay.

import { type ReactNode, useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { AskedTasker } from '../api/posting.ts'
import { FeePreview } from './PostTaskPreview.tsx'
import { type PhotosOf, TaskInputs } from './TaskInputs.tsx'

type SectionProps = {
  /** Another step is shown; what is typed here stays. */
  hidden: boolean
  /** It is one step of several, whose strip shows its name already. */
  asStep: boolean
}

function Section({ title, hidden, asStep, children }: SectionProps & { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section aria-labelledby={id} hidden={hidden} className="flex flex-col gap-6 max-sm:gap-4">
      <h2
        id={id}
        tabIndex={-1}
        className={
          asStep
            ? 'sr-only'
            : 'border-b border-line pb-3 text-2xl focus-visible:outline-none max-sm:pb-2 max-sm:text-xl'
        }
      >
        {title}
      </h2>
      {children}
    </section>
  )
}

export function WhatSection({ userId, brought, ...section }: SectionProps & PhotosOf) {
  const { t } = useTranslation()
  return (
    <Section title={t('tasks.sectionWhat')} {...section}>
      <TaskInputs part="what" userId={userId} brought={brought} />
    </Section>
  )
}

/** `asked`: the tasker who is asked first. */
export function WhereSection({ asked, ...section }: SectionProps & { asked: AskedTasker | null }) {
  const { t } = useTranslation()
  return (
    <Section title={t('tasks.sectionWhere')} {...section}>
      <TaskInputs part="where" asked={asked} />
      {section.asStep && <TaskInputs part="tools" />}
    </Section>
  )
}

/** `tasker`: the name of the one who is asked first. */
export function PaySection({ tasker, ...section }: SectionProps & { tasker: string | undefined }) {
  const { t } = useTranslation()
  return (
    <Section title={t(section.asStep ? 'tasks.stepPrice' : 'tasks.sectionPay')} {...section}>
      {!section.asStep && <TaskInputs part="tools" />}
      <TaskInputs part="pay" />
      <FeePreview tasker={tasker} />
    </Section>
  )
}
