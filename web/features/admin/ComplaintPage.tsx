// /admin/complaints/:id: one case in one view: both statements, the task, the notes, the chat with its photos, both
// people and the money at stake. On a wide screen the decision is next to all of it.
import { useQuery } from '@tanstack/react-query'
import { Scale } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { clockOf } from '../../../shared/placeClocks.ts'
import { categoryText } from '../../lib/categoryText.ts'
import { formatDateTime, formatMoney } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { useUserId } from '../../lib/session.tsx'
import { Card } from '../../ui/Card.tsx'
import { Form, SubmitButton } from '../../ui/form/Form.tsx'
import { PageHeader } from '../../ui/Page.tsx'
import { Quote } from '../../ui/Quote.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../ui/States.tsx'
import { type Case, caseQuery, sidesQuery } from './api/case.ts'
import { CaseChat } from './components/CaseChat.tsx'
import { CasePictures } from './components/CasePictures.tsx'
import {
  ComplaintDecisionFields,
  ConfirmDecision,
  useComplaintDecision,
} from './components/ComplaintDecision.tsx'
import { ComplaintQuotes } from './components/ComplaintQuotes.tsx'
import { DecidedRow } from './components/DecidedRow.tsx'
import { SideCard } from './components/SideCard.tsx'

export default function ComplaintPage() {
  const { t } = useTranslation()
  const { id = '' } = useParams()
  const found = useQuery(caseQuery(id))
  const back = { to: paths.adminComplaints, label: t('backOffice.complaints.back') }
  if (!found.data) {
    return (
      <>
        <PageHeader title={t('backOffice.complaints.one')} back={back} />
        {found.isPending && <Skeleton className="h-96 w-full rounded-lg" />}
        {found.isError && <ErrorState error={found.error} onRetry={() => found.refetch()} />}
        {found.isSuccess && <EmptyState icon={Scale} title={t('backOffice.complaints.notFound')} />}
      </>
    )
  }
  const one = found.data
  return (
    <>
      <PageHeader
        title={<bdi>{one.booking.task.title}</bdi>}
        subtitle={t('backOffice.complaints.since', { at: formatDateTime(one.created_at) })}
        back={back}
      />
      <div className="grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_minmax(0,26rem)]">
        <div className="min-w-0">
          <WhatHappened one={one} />
        </div>
        <aside className="min-w-0 lg:sticky lg:top-20">
          <Money one={one} />
          <Decision one={one} />
        </aside>
      </div>
    </>
  )
}

const partsOf = ({ payment }: Case, unnamed: string) => ({
  giver: payment.payer?.full_name || unnamed,
  tasker: payment.payee?.full_name || unnamed,
})

function WhatHappened({ one }: { one: Case }) {
  const { t } = useTranslation()
  const { giver, tasker } = partsOf(one, t('admin.unnamed'))
  const sides = useQuery(sidesQuery(one.giver_id, one.tasker_id))
  const of = (id: string) => sides.data?.find((side) => side.id === id)
  return (
    <>
      <Part title={t('backOffice.complaints.says')}>
        <ComplaintQuotes complaint={one} />
        <CasePictures
          bucket="booking-photos"
          paths={one.photos}
          label={t('backOffice.complaints.photoFrom', { name: giver })}
        />
        <CasePictures
          bucket="booking-photos"
          paths={one.answer_photos}
          label={t('backOffice.complaints.photoFrom', { name: tasker })}
        />
      </Part>
      <Part title={t('backOffice.complaints.sides')}>
        {sides.isPending ? (
          <Skeleton className="h-28 w-full rounded-lg" />
        ) : (
          <div className="grid gap-4 sm:grid-cols-2">
            <SideCard side={of(one.giver_id)} part="giver" />
            <SideCard side={of(one.tasker_id)} part="tasker" />
          </div>
        )}
      </Part>
      <Part title={t('backOffice.complaints.task')}>
        <WorkCard booking={one.booking} tasker={tasker} />
      </Part>
      <Part title={t('backOffice.complaints.chat')}>
        <CaseChat complaintId={one.id} giverId={one.giver_id} giver={giver} tasker={tasker} />
      </Part>
    </>
  )
}

/** The task, the application, and the work as the tasker stated it. */
function WorkCard({ booking, tasker }: { booking: Case['booking']; tasker: string }) {
  const { t } = useTranslation()
  return (
    <Card>
      <p className="text-sm text-ink-soft">
        <span>{`${categoryText(t, booking.task.category)} · `}</span>
        <bdi>{booking.task.location}</bdi>
        {booking.task.scheduled_date && (
          <span>{` · ${formatDateTime(booking.task.scheduled_date, clockOf(booking.task))}`}</span>
        )}
      </p>
      <p className="mt-2 whitespace-pre-line wrap-anywhere" dir="auto">
        {booking.task.description}
      </p>
      <CasePictures
        bucket="task-photos"
        paths={booking.task.photos}
        label={t('backOffice.complaints.taskPhoto')}
      />
      {booking.message && (
        <Quote by={t('backOffice.complaints.application', { name: tasker })}>{booking.message}</Quote>
      )}
      {booking.completion_notes ? (
        <Quote by={t('backOffice.complaints.notes', { name: tasker })} at={booking.completed_at ?? undefined}>
          {booking.completion_notes}
        </Quote>
      ) : (
        booking.completed_at && (
          <p className="mt-4 text-sm text-ink-faint">
            {t('backOffice.complaints.noNotes', { at: formatDateTime(booking.completed_at) })}
          </p>
        )
      )}
      {booking.arrived_at && (
        <p className="mt-4 text-sm text-ink-faint">
          {t('backOffice.complaints.arrived', { name: tasker, at: formatDateTime(booking.arrived_at) })}
        </p>
      )}
      <CasePictures
        bucket="booking-photos"
        paths={booking.before_photos}
        label={t('backOffice.complaints.beforePhoto')}
      />
      <CasePictures
        bucket="booking-photos"
        paths={booking.completion_photos}
        label={t('backOffice.complaints.workPhoto')}
      />
    </Card>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="mb-8">
      <h2 className="mb-3 text-xl">{title}</h2>
      {children}
    </section>
  )
}

function Money({ one: { payment, decision, extras } }: { one: Case }) {
  const { t } = useTranslation()
  return (
    <Card className="mb-4">
      <h2 className="text-xl">
        {t(decision ? 'backOffice.complaints.moneyDecided' : 'backOffice.complaints.money')}
      </h2>
      <p translate="no" className="tabular mt-1 font-display text-3xl font-semibold">
        {formatMoney(payment.total, { exact: true })}
      </p>
      <p className="tabular text-sm text-ink-soft">
        {t('backOffice.complaints.moneyHint', { amount: formatMoney(payment.amount, { exact: true }) })}
      </p>
      {extras > 0 && (
        <p className="tabular text-sm text-ink-soft">
          {t('admin.extras', { sum: formatMoney(extras, { exact: true }) })}
        </p>
      )}
    </Card>
  )
}

function Decision({ one }: { one: Case }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const { form, deciding, asked, ask, goBack } = useComplaintDecision(one, () => undefined)
  if (one.decision)
    return (
      <ul className="rounded-lg border border-line bg-surface">
        <DecidedRow complaint={one} inCase />
      </ul>
    )
  const own = [one.giver_id, one.tasker_id].includes(userId)
  if (own || one.payment.open_disputes > 0)
    return <Card>{t(own ? 'admin.ownComplaint' : 'admin.bankFirst')}</Card>
  return (
    <Card>
      <Form form={form} submission={deciding} onSubmit={ask} className="flex flex-col gap-4">
        <ComplaintDecisionFields complaint={one} />
        <p className="text-sm text-ink-soft">{t('admin.complaintFinal')}</p>
        <SubmitButton>{t('admin.decide')}</SubmitButton>
      </Form>
      {asked && <ConfirmDecision complaint={one} asked={asked} deciding={deciding} onBack={goBack} />}
    </Card>
  )
}
