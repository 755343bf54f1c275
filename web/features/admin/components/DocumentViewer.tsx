// The pictures of an ID next to the facts: one at a time, larger and smaller, turned, moved by dragging, scrolling or
// the arrow keys. Files that browsers do not show as a picture (a PDF, HEIC) open in a separate tab.
import { useQuery } from '@tanstack/react-query'
import { ExternalLink, FileText, ImageOff, RotateCw, ZoomIn, ZoomOut } from 'lucide-react'
import { type ComponentProps, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatNumber } from '../../../lib/format.ts'
import { Button } from '../../../ui/Button.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { EmptyState, ErrorState } from '../../../ui/States.tsx'
import { documentsQuery } from '../api/people.ts'

/** Shares of the frame's size. */
const ZOOMS = [1, 1.5, 2, 3, 4]
const QUARTER = 90

type Document = { address: string; extension: string; uploadedAt: string }

export function DocumentViewer({ personId, name }: { personId: string; name: string }) {
  const { t } = useTranslation()
  const documents = useQuery(documentsQuery(personId))
  const [chosen, setChosen] = useState(0)
  if (documents.isPending) return <Skeleton className="aspect-[4/3] w-full rounded-lg" />
  if (!documents.data)
    return <ErrorState title={t('admin.documentsFailed')} onRetry={() => documents.refetch()} />
  const document = documents.data[chosen] ?? documents.data[0]
  if (!document) return <EmptyState icon={ImageOff} scene={false} title={t('admin.noDocuments')} />
  return (
    <section aria-label={t('admin.documents')}>
      {documents.data.length > 1 && (
        <div className="mb-3 flex flex-wrap gap-2">
          {documents.data.map(({ extension, uploadedAt }, index) => (
            <Button
              key={uploadedAt + extension}
              variant="secondary"
              size="sm"
              aria-pressed={documents.data[index] === document}
              onClick={() => setChosen(index)}
              className="aria-pressed:border-wheat-ink aria-pressed:bg-wheat-soft aria-pressed:text-wheat-ink"
            >
              {t('admin.document', { number: formatNumber(index + 1), kind: extension.toUpperCase() })}
            </Button>
          ))}
        </div>
      )}
      <Picture key={document.uploadedAt + document.extension} document={document} name={name} />
    </section>
  )
}

function Picture({ document, name }: { document: Document; name: string }) {
  const { t } = useTranslation()
  // The address is signed anew every minute or so; the picture that is there already need not be fetched again.
  const [source] = useState(document.address)
  const [zoom, setZoom] = useState(0)
  const [turn, setTurn] = useState(0)
  const [unreadable, setUnreadable] = useState(document.extension.toLowerCase() === 'pdf')
  const scale = ZOOMS[zoom] ?? 1
  return (
    <div className="overflow-hidden rounded-lg border border-line bg-surface">
      {unreadable ? (
        <div className="grid aspect-[4/3] place-content-center justify-items-center gap-3 bg-sunken px-6 text-center text-ink-soft">
          <FileText aria-hidden className="size-8" />
          <p>{t('backOffice.verifications.noPreview', { kind: document.extension.toUpperCase() })}</p>
        </div>
      ) : (
        <section
          // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is reached by the keyboard
          tabIndex={0}
          aria-label={t('backOffice.verifications.picture')}
          className="aspect-[4/3] overflow-auto bg-sunken focus-visible:outline-offset-[-3px]"
        >
          <div
            className="grid min-h-full min-w-full place-items-center"
            style={{ width: `${scale * 100}%`, height: `${scale * 100}%` }}
          >
            <img
              src={source}
              alt={t('backOffice.verifications.pictureOf', { name })}
              onError={() => setUnreadable(true)}
              className="max-h-full max-w-full object-contain transition-transform"
              style={{ transform: `rotate(${turn * QUARTER}deg)` }}
            />
          </div>
        </section>
      )}
      <div className="flex flex-wrap items-center gap-1 border-t border-line p-2">
        {!unreadable && (
          <>
            <Tool
              label={t('backOffice.verifications.smaller')}
              disabled={zoom === 0}
              onClick={() => setZoom(zoom - 1)}
            >
              <ZoomOut aria-hidden />
            </Tool>
            <span className="tabular min-w-14 text-center text-sm text-ink-soft" role="status">
              {formatNumber(scale, { style: 'percent' })}
            </span>
            <Tool
              label={t('backOffice.verifications.larger')}
              disabled={zoom === ZOOMS.length - 1}
              onClick={() => setZoom(zoom + 1)}
            >
              <ZoomIn aria-hidden />
            </Tool>
            <Tool label={t('backOffice.verifications.turn')} onClick={() => setTurn(turn + 1)}>
              <RotateCw aria-hidden />
            </Tool>
          </>
        )}
        <a
          href={document.address}
          target="_blank"
          rel="noreferrer"
          className="ms-auto inline-flex min-h-11 items-center gap-2 px-2 text-sky underline underline-offset-4"
        >
          <span>{t('backOffice.verifications.open')}</span>
          <ExternalLink aria-hidden className="size-4" />
          <span className="sr-only">{t('admin.newTab')}</span>
        </a>
      </div>
      <p className="border-t border-line px-4 py-2 text-sm text-ink-faint">
        {t('backOffice.verifications.uploaded', { at: formatDateTime(document.uploadedAt) })}
      </p>
    </div>
  )
}

function Tool({ label, ...button }: { label: string } & ComponentProps<typeof Button>) {
  return <Button variant="ghost" size="icon" aria-label={label} title={label} {...button} />
}
