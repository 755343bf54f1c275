// A photo of a message: small in the conversation, as large as the window at a click.
import { ImageOff } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../../ui/Dialog.tsx'
import { useObjectUrl, usePhoto } from '../../../ui/photos/usePhoto.ts'
import { Skeleton } from '../../../ui/Skeleton.tsx'

const SMALL_CLASSES = 'h-48 w-auto max-w-full rounded-md object-cover'

export function Photo({ path, label }: { path: string; label: string }) {
  const { t } = useTranslation()
  const photo = usePhoto('chat-photos', path)
  const address = photo.src
  const [open, setOpen] = useState(false)
  if (photo.failed) {
    return (
      <button
        type="button"
        onClick={() => photo.again()}
        className="grid h-48 w-56 max-w-full place-content-center justify-items-center gap-2 rounded-md border border-line-strong px-4 text-sm text-ink-soft"
      >
        <ImageOff aria-hidden className="size-6" />
        <span>{t('ui.photoMissing')}</span>
      </button>
    )
  }
  if (!address) return <Skeleton className="h-48 w-56 max-w-full rounded-md" />
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="block max-w-full focus-visible:rounded-md"
      >
        <img src={address} alt={label} className={SMALL_CLASSES} />
      </button>
      <Dialog open={open} onOpenChange={setOpen} title={label} size="lg">
        <img src={address} alt={label} className="mx-auto max-h-[75dvh] max-w-full object-contain" />
      </Dialog>
    </>
  )
}

/** A picture that is chosen or on its way. */
export function PhotoPreview({ photo, label }: { photo: Blob; label: string }) {
  const address = useObjectUrl(photo)
  return address ? <img src={address} alt={label} className={SMALL_CLASSES} /> : null
}
