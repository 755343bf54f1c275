// Entries of the audit log: who did what when, about what and whom, and each value before and after.
import { useInfiniteQuery } from '@tanstack/react-query'
import { ArrowRight, ScrollText } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import type { TextKey } from '../../../i18n/index.ts'
import { formatDateTime } from '../../../lib/format.ts'
import { adminComplaintPath, adminPersonPath, paths, taskPath } from '../../../lib/paths.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { type AuditEntry, type AuditFilter, auditCountQuery, auditQuery } from '../api/audit.ts'
import { type Change, changesOf, detailsOf } from '../auditValues.ts'
import { ListPages } from './ListPages.tsx'
import { Reference } from './Reference.tsx'

/** As Stripe writes its ids: pi_3Nf…, acct_1Nf…. */
const PROVIDERS_ID = /^(?=.*\d)[a-z]{2,8}_\w{8,}$/

export function AuditList({ filter }: { filter: AuditFilter }) {
  const { t } = useTranslation()
  const entries = useInfiniteQuery(auditQuery(filter))
  if (entries.isPending) return <Skeleton className="h-64 w-full rounded-lg" />
  if (!entries.data) return <ErrorState error={entries.error} onRetry={() => entries.refetch()} />
  if (entries.data.length === 0) return <EmptyState icon={ScrollText} title={t('backOffice.audit.none')} />
  return (
    <ListPages pages={entries} count={auditCountQuery(filter)}>
      {entries.data.map((entry) => (
        <Entry key={entry.id} entry={entry} />
      ))}
    </ListPages>
  )
}

function Entry({ entry }: { entry: AuditEntry }) {
  const { t } = useTranslation()
  const actor = entry.actor_id
    ? entry.actor_name || t('admin.unnamed')
    : t(`backOffice.audit.role.${entry.actor_role === 'service_role' ? 'service_role' : 'postgres'}`)
  const changes = changesOf(entry, t)
  const people = [...entry.subjects, { id: entry.actor_id ?? '', name: entry.actor_name }]
  const others = detailsOf({ ...entry, people }, t)
  return (
    <li className="px-4 py-3 sm:px-5">
      <p className="flex flex-wrap items-baseline justify-between gap-x-4">
        <span className="min-w-0 wrap-anywhere">
          <span className="font-semibold">
            {`${t(`backOffice.audit.table.${entry.table_name}` as TextKey, { defaultValue: entry.table_name })} · ${t(`backOffice.audit.action.${entry.action}` as TextKey)}`}
          </span>
          <Place entry={entry} />
        </span>
        <time dateTime={entry.at} className="tabular text-sm text-ink-soft">
          {formatDateTime(entry.at)}
        </time>
      </p>
      {changes.length > 0 && (
        <dl className="mt-1 flex flex-wrap gap-x-6 gap-y-0.5 max-sm:flex-col">
          {changes.map((change) => (
            <Changed key={change.column} change={change} />
          ))}
        </dl>
      )}
      <div className="mt-0.5 flex flex-wrap items-baseline justify-between gap-x-4">
        <p className="text-sm text-ink-soft wrap-anywhere">
          <span>{t('backOffice.audit.by')}</span>{' '}
          {entry.actor_id ? <Person id={entry.actor_id} name={actor} /> : <span>{actor}</span>}
          {entry.by_admin && <span>{` (${t('backOffice.people.role.admin')})`}</span>}
          {entry.subjects.length > 0 && <span>{` · ${t('backOffice.audit.about')} `}</span>}
          <People people={entry.subjects.map(({ id, name }) => ({ id, name: name || t('admin.unnamed') }))} />
        </p>
        {others.length > 0 && (
          <details className="open:basis-full">
            <summary className="inline-flex min-h-8 items-center text-sm text-sky">
              {t('backOffice.audit.values', { count: others.length })}
            </summary>
            <dl className="mb-1 divide-y divide-line text-sm">
              {others.map(({ column, label, before, after }) => (
                <div key={column} className="flex flex-wrap justify-between gap-x-6 py-1">
                  <dt className="text-ink-soft">{label}</dt>
                  <dd className="min-w-0 text-end wrap-anywhere">
                    {entry.before && (
                      <s className="text-ink-soft">
                        <bdi>{before}</bdi>
                      </s>
                    )}
                    {entry.before && entry.after && (
                      <ArrowRight
                        aria-hidden
                        className="mx-1.5 inline size-3.5 text-ink-faint rtl:-scale-x-100"
                      />
                    )}
                    {entry.after && <Value text={after} label={label} />}
                  </dd>
                </div>
              ))}
            </dl>
          </details>
        )}
      </div>
    </li>
  )
}

/** Ids of the payment provider can be copied, each; everything else stays as it is, commas too. */
function Value({ text, label }: { text: string; label: string }) {
  const ids = text.split(', ')
  if (!ids.every((id) => PROVIDERS_ID.test(id))) return <bdi>{text}</bdi>
  return ids.map((id) => <Reference key={id} id={id} label={label} />)
}

/** "Refund: Failed → On its way" */
function Changed({ change: { label, before, after } }: { change: Change }) {
  const { t } = useTranslation()
  return (
    <div className="flex min-w-0 flex-wrap items-baseline gap-x-1.5">
      <dt className="text-ink-soft">{t('ui.labelled', { label, value: '' })}</dt>
      <dd className="tabular flex min-w-0 flex-wrap items-baseline gap-x-1.5 wrap-anywhere">
        {before !== null && (
          <>
            <s className="min-w-0 text-ink-soft">
              <bdi>{before}</bdi>
            </s>{' '}
            <ArrowRight
              aria-hidden
              className="size-3.5 shrink-0 self-center text-ink-faint rtl:-scale-x-100"
            />
          </>
        )}
        <bdi className="min-w-0 font-medium">{after ?? '–'}</bdi>
      </dd>
    </div>
  )
}

/** The subject of the entry, if it has a page. */
function Place({ entry: { table_name, row_id, task_title } }: { entry: AuditEntry }) {
  const { t } = useTranslation()
  const to =
    table_name === 'payments'
      ? `${paths.adminMoney}?search=${row_id}`
      : table_name === 'complaints'
        ? adminComplaintPath(row_id)
        : table_name === 'tasks'
          ? taskPath(row_id)
          : table_name === 'reports'
            ? paths.adminReports
            : null
  if (!to || (table_name !== 'reports' && !task_title)) return null
  return (
    <>
      <span>{' · '}</span>
      <Link to={to} className="text-sky underline underline-offset-4">
        <bdi>{task_title ?? t('backOffice.nav.reports')}</bdi>
      </Link>
    </>
  )
}

/** Their names in a row, with the language's own words or commas between. */
function People({ people }: { people: { id: string; name: string }[] }) {
  const { i18n } = useTranslation()
  const left = [...people]
  return new Intl.ListFormat(i18n.language).formatToParts(people.map(({ name }) => name)).map((part) => {
    const person = part.type === 'element' && left.shift()
    return person ? <Person key={person.id} {...person} /> : <span key={left.length}>{part.value}</span>
  })
}

function Person({ id, name }: { id: string; name: string }) {
  return (
    <Link to={adminPersonPath(id)} className="text-sky underline underline-offset-4">
      <bdi>{name}</bdi>
    </Link>
  )
}
