// The list of unsent items with their states. Each can be changed or removed before it is sent, and sent now.
import { BriefcaseBusiness, ClipboardPen, MessageCircle } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { keepDraft } from '../lib/drafts.ts'
import type { Waiting } from '../lib/outbox.ts'
import { outbox, removeFromOutbox, sendNow, useOutbox } from '../lib/outbox.ts'
import { bookingPath, waitingApplicationPath, waitingTaskFormPath } from '../lib/paths.ts'
import { useOnline } from '../lib/useOnline.ts'
import { Button } from '../ui/Button.tsx'
import { Dialog } from '../ui/Dialog.tsx'

const icons = { message: MessageCircle, task: ClipboardPen, application: BriefcaseBusiness }

export default function OutboxDialog({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation()
  const online = useOnline()
  const waiting = useOutbox()
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('layout.outbox.title')}
      description={waiting.length > 0 ? t('layout.outbox.body') : undefined}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('ui.close')}
          </Button>
          {waiting.length > 0 && (
            <Button disabled={!online} onClick={sendAll}>
              {t('layout.outbox.sendNow')}
            </Button>
          )}
        </>
      }
    >
      {waiting.length === 0 ? (
        <p role="status">{t('layout.outbox.empty')}</p>
      ) : (
        <ul className="flex flex-col divide-y divide-line">
          {waiting.map((entry) => (
            <Entry key={entry.id} entry={entry} onClose={onClose} />
          ))}
        </ul>
      )}
    </Dialog>
  )
}

/** Also retries rejected entries: the reason may be gone. */
function sendAll() {
  sendNow()
  for (const { id, refusal } of outbox()) if (refusal !== undefined) sendNow(id)
}

function Entry({ entry, onClose }: { entry: Waiting; onClose: () => void }) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id, kind, refusal, mayHaveArrived } = entry
  const Icon = icons[kind]
  const edit = () => {
    onClose()
    if (kind === 'task') return navigate(waitingTaskFormPath(id))
    if (kind === 'application') return navigate(waitingApplicationPath(entry.content.taskId, id))
    const { bookingId, senderId, text } = entry.content
    keepDraft(`message:${bookingId}:${senderId}`, { text })
    removeFromOutbox(id)
    return navigate(bookingPath(bookingId))
  }
  const state = refusal
    ? t('layout.outbox.state.refused')
    : entry.state === 'sending'
      ? t('layout.outbox.state.sending')
      : mayHaveArrived
        ? t('layout.outbox.state.unanswered')
        : t('layout.outbox.state.waiting')
  // A message with a photo keeps it, and what may be there already can be changed there alone; a task is changed, not doubled.
  const editable = kind === 'task' || !(mayHaveArrived || entry.photo)
  return (
    <li className="flex gap-3 py-4 first:pt-0 last:pb-0">
      <Icon aria-hidden className="mt-0.5 size-5 shrink-0 text-sky" />
      <div className="min-w-0 flex-1">
        <p className="font-semibold wrap-anywhere">
          {kind === 'message'
            ? t('layout.outbox.message', { name: entry.content.receiverName })
            : t(`layout.outbox.${kind}`, { title: entry.content.title })}
        </p>
        {kind !== 'task' && (entry.kind === 'message' ? entry.content.text : entry.content.message) && (
          <p dir="auto" className="line-clamp-3 text-ink-soft wrap-anywhere">
            {entry.kind === 'message' ? entry.content.text : entry.content.message}
          </p>
        )}
        {refusal && <p className="mt-1 text-danger">{refusal}</p>}
        <p className="mt-1 text-sm text-ink-soft">{state}</p>
        <div className="mt-2 flex flex-wrap gap-2">
          {editable && (
            <Button variant="secondary" size="sm" onClick={edit}>
              {t('layout.outbox.edit')}
            </Button>
          )}
          <Button variant="secondary" size="sm" onClick={() => removeFromOutbox(id)}>
            {t('layout.outbox.remove')}
          </Button>
        </div>
      </div>
    </li>
  )
}
