// An id that an admin looks up elsewhere, with the payment provider say: shortened, and copied whole.
import { Copy } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { toast } from '../../../ui/Toaster.tsx'

/** From this length on only both ends are shown. */
const MAX_SHOWN = 16

const shortened = (id: string) => (id.length > MAX_SHOWN ? `${id.slice(0, 8)}…${id.slice(-4)}` : id)

export function Reference({ id, label }: { id: string; label: string }) {
  const { t } = useTranslation()
  const copy = () =>
    navigator.clipboard.writeText(id).then(
      () => toast.success(t('backOffice.reference.copied')),
      () => toast.error(t('admin.error')),
    )
  return (
    <span className="inline-flex items-center gap-1 align-middle">
      <code translate="no" dir="ltr" className="font-mono text-[0.92em]">
        {shortened(id)}
      </code>
      <button
        type="button"
        aria-label={t('backOffice.reference.copy', { label })}
        onClick={copy}
        className="grid size-7 place-items-center rounded-sm text-sky hover:bg-sunken"
      >
        <Copy aria-hidden className="size-4" />
      </button>
    </span>
  )
}
