// A photo of a message: small in the conversation, as large as the window at a click.
import { useQuery } from '@tanstack/react-query'
import { ImageOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../ui/Dialog.tsx'
import { Skeleton } from '../../ui/Skeleton.tsx'
import { photoQuery } from './api/photos.ts'

const SMALL_CLASSES = 'h-48 w-auto max-w-full rounded-md object-cover'

export function Photo({ path, label }: { path: string; label: string }) {
  const { t } = useTranslation()
  const photo = useQuery(photoQuery(path))
  const address = useObjectUrl(photo.data)
  const [open, setOpen] = useState(false)
  if (photo.isError) {
    return (
      <button
        type="button"
        onClick={() => photo.refetch()}
        className="grid h-48 w-56 max-w-full place-content-center justify-items-center gap-2 rounded-md border border-line-strong px-4 text-sm text-ink-soft"
      >
        <ImageOff aria-hidden className="size-6" />
        {t('messages.photoMissing')}
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

function useObjectUrl(blob: Blob | undefined): string | undefined {
  const [address, setAddress] = useState<string>()
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  return address
}
