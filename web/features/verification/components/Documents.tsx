// Handing in pictures or scans of the government ID: choosing, what is there, taking back.
import { useQuery } from '@tanstack/react-query'
import { FileText, Trash2, Upload } from 'lucide-react'
import { useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { errorText } from '../../../lib/errorText.ts'
import { formatNumber } from '../../../lib/format.ts'
import { useUserId } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { FieldError } from '../../../ui/form/Field.tsx'
import { useObjectUrl } from '../../../ui/photos/usePhoto.ts'
import { useAction } from '../../../ui/useAction.ts'
import {
  acceptedDocuments,
  addDocument,
  type Document,
  documentPictureQuery,
  documentProblem,
  myDocumentsQuery,
  removeDocument,
} from '../api/documents.ts'

export function Documents() {
  const { t } = useTranslation()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const section = useRef<HTMLElement>(null)
  const { documents, adding, removing, problem, choose } = useDocuments()
  const submitted = documents.data ?? []
  const full = submitted.length >= limits.identityDocument.count

  return (
    <section ref={section} tabIndex={-1} aria-labelledby={id} className="flex flex-col gap-3">
      <div>
        <h3 id={id} className="font-sans text-base font-semibold tracking-normal">
          {t('verification.documents')}
        </h3>
        <p className="mt-1 text-sm text-ink-faint">{t('verification.documentsHint')}</p>
      </div>
      {submitted.length > 0 && (
        <ul className="divide-y divide-line rounded-md border border-line">
          {submitted.map((document, index) => {
            const name = t('verification.documentName', {
              number: formatNumber(index + 1),
              kind: document.extension.toUpperCase(),
            })
            return (
              <Row
                key={document.name}
                document={document}
                name={name}
                removing={removing.isPending && removing.variables === document.name}
                onRemove={() => {
                  removing.mutate(document.name)
                  // The button goes with its file; the keyboard's place stays.
                  section.current?.focus()
                }}
              />
            )
          })}
        </ul>
      )}
      {problem && <FieldError>{problem}</FieldError>}
      {full ? (
        <p className="text-sm text-ink-soft">{t('verification.documentsFull')}</p>
      ) : (
        <Button
          variant="secondary"
          className="self-start"
          disabled={adding.isPending || !documents.isSuccess}
          onClick={() => input.current?.click()}
        >
          <Upload aria-hidden />
          <span>{t(adding.isPending ? 'verification.documentUploading' : 'verification.addDocument')}</span>
        </Button>
      )}
      <p role="status" className="sr-only">
        {adding.isPending
          ? t('verification.documentUploading')
          : adding.isSuccess && !problem && t('verification.documentAdded')}
      </p>
      {/* The button above stands for it. */}
      <input
        ref={input}
        type="file"
        accept={acceptedDocuments}
        hidden
        onChange={(event) => {
          const [file] = event.target.files ?? []
          event.target.value = ''
          if (file) choose(file)
        }}
      />
    </section>
  )
}

function useDocuments() {
  const { t } = useTranslation()
  const userId = useUserId()
  const [problem, setProblem] = useState<string>()
  const onError = (error: Error) => setProblem(t('verification.documentFailed', { reason: errorText(error) }))
  const documents = useQuery(myDocumentsQuery(userId))
  const adding = useAction(addDocument(userId), { onError })
  const removing = useAction(removeDocument(userId), { onError })
  const choose = (file: File) => {
    const found = documentProblem(file)
    setProblem(found ? t(found) : undefined)
    if (!found) adding.mutate(file)
  }
  return { documents, adding, removing, problem, choose }
}

type RowProps = { document: Document; name: string; removing: boolean; onRemove: () => void }

function Row({ document, name, removing, onRemove }: RowProps) {
  const { t } = useTranslation()
  return (
    <li className="flex items-center gap-3 py-1.5 ps-3 pe-1.5">
      <Preview document={document} />
      <span className="min-w-0 flex-1">
        <span>{name}</span> <span className="tabular text-sm text-ink-faint">{sizeText(document.size)}</span>
      </span>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('verification.removeDocument', { name })}
        loading={removing}
        onClick={onRemove}
      >
        <Trash2 aria-hidden />
      </Button>
    </li>
  )
}

/** Small beside its name, which says what it is. */
function Preview({ document }: { document: Document }) {
  const picture = useQuery(documentPictureQuery(useUserId(), document))
  const address = useObjectUrl(picture.data ?? undefined)
  const [unreadable, setUnreadable] = useState(false)
  return (
    <span className="grid size-14 shrink-0 place-items-center overflow-hidden rounded-sm bg-sunken">
      {address && !unreadable ? (
        <img src={address} alt="" onError={() => setUnreadable(true)} className="size-full object-cover" />
      ) : (
        <FileText aria-hidden className="size-5 text-ink-faint" />
      )}
    </span>
  )
}

function sizeText(bytes: number): string {
  const [amount, unit] = bytes < 1_000_000 ? [bytes / 1000, 'kilobyte'] : [bytes / 1_000_000, 'megabyte']
  return formatNumber(Math.max(1, Math.round(amount)), { style: 'unit', unit, unitDisplay: 'short' })
}
