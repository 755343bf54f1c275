// A picture of a private bucket: small in its place, as large as the window at a click.
import { useQuery } from '@tanstack/react-query'
import { ImageOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Dialog } from '../../../ui/Dialog.tsx'
import { Skeleton } from '../../../ui/Skeleton.tsx'
import { pictureQuery } from '../api/case.ts'

export function PrivatePicture({ bucket, path, label }: { bucket: string; path: string; label: string }) {
  const { t } = useTranslation()
  const picture = useQuery(pictureQuery(bucket, path))
  const [address, setAddress] = useState<string>()
  const [open, setOpen] = useState(false)
  const blob = picture.data
  useEffect(() => {
    if (!blob) return
    const made = URL.createObjectURL(blob)
    setAddress(made)
    return () => URL.revokeObjectURL(made)
  }, [blob])
  if (picture.isError) {
    return (
      <button
        type="button"
        onClick={() => picture.refetch()}
        className="grid h-32 w-40 max-w-full place-content-center justify-items-center gap-2 rounded-md border border-line-strong px-3 text-sm text-ink-soft"
      >
        <ImageOff aria-hidden className="size-6" />
        <span>{t('backOffice.complaints.pictureFailed')}</span>
      </button>
    )
  }
  if (!address) return <Skeleton className="h-32 w-40 max-w-full rounded-md" />
  return (
    <>
      <button
        type="button"
        onClick={() => setOpen(true)}
        className="block max-w-full focus-visible:rounded-md"
      >
        <img src={address} alt={label} className="h-32 w-auto max-w-full rounded-md object-cover" />
      </button>
      <Dialog open={open} onOpenChange={setOpen} title={label} size="lg">
        <img src={address} alt={label} className="mx-auto max-h-[75dvh] max-w-full object-contain" />
      </Dialog>
    </>
  )
}
