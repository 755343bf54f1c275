// A person's submitted documents, opened through addresses that are valid for minutes.
import { useQuery } from '@tanstack/react-query'
import { ExternalLink } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { documentsQuery } from '../api/people.ts'

export function Documents({ personId }: { personId: string }) {
  const { t } = useTranslation()
  const documents = useQuery(documentsQuery(personId))
  return (
    <section className="mb-5">
      <h3 className="font-sans text-base font-semibold tracking-normal">{t('admin.documents')}</h3>
      {documents.isPending && <p className="text-ink-soft">{t('ui.loading')}</p>}
      {documents.isError && <p className="text-danger">{t('admin.documentsFailed')}</p>}
      {documents.data?.length === 0 && <p className="text-ink-soft">{t('admin.noDocuments')}</p>}
      {documents.data && documents.data.length > 0 && (
        <ul className="mt-1 divide-y divide-line">
          {documents.data.map(({ address, extension, uploadedAt }, index) => (
            <li key={address} className="flex flex-wrap items-center justify-between gap-x-4">
              <a
                href={address}
                target="_blank"
                rel="noreferrer"
                className="inline-flex min-h-11 items-center gap-2 text-sky underline underline-offset-4"
              >
                <span>
                  {t('admin.document', { number: formatNumber(index + 1), kind: extension.toUpperCase() })}
                </span>
                <ExternalLink aria-hidden className="size-4" />
                <span className="sr-only">{t('admin.newTab')}</span>
              </a>
              <span className="text-sm text-ink-faint">
                {t('backOffice.verifications.uploaded', { at: formatDateTime(uploadedAt) })}
              </span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
