// Photos that belong to something: small ones, each as large as the window at a click, and from there to the next.
import { ChevronLeft, ChevronRight, ImageOff } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { PhotoBucket } from '../../lib/photos.ts'
import { Button } from '../Button.tsx'
import { classes } from '../classes.ts'
import { Dialog } from '../Dialog.tsx'
import { Skeleton } from '../Skeleton.tsx'
import { usePhoto } from './usePhoto.ts'

type PhotoGridProps = {
  bucket: PhotoBucket
  names: string[]
  /** A description for people who cannot see the photos: "Photo 2 of 3: Clear the driveway". */
  subject: string
  /** `wide` fills the width with three in a row; `small` are squares in a row. */
  layout?: 'wide' | 'small'
  className?: string
}

const layouts = {
  wide: { list: 'grid grid-cols-2 gap-3 sm:grid-cols-3', tile: 'aspect-4/3 w-full' },
  small: { list: 'flex flex-wrap gap-2', tile: 'size-20' },
}

/** `<PhotoGrid bucket="booking-photos" names={complaint.photos} subject={…} />`; nothing where there are none. */
export function PhotoGrid({ bucket, names, subject, layout = 'small', className }: PhotoGridProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState<number | null>(null)
  if (names.length === 0) return null
  const label = (index: number) =>
    t('ui.photoOf', {
      number: index + 1,
      count: names.length,
      subject,
      interpolation: { escapeValue: false },
    })
  const shown = open === null ? undefined : names[open]
  const step = (by: number) =>
    setOpen((now) => (now === null ? null : (now + by + names.length) % names.length))
  return (
    <>
      <ul className={classes(layouts[layout].list, className)}>
        {names.map((name, index) => (
          <li key={name}>
            <Tile
              bucket={bucket}
              name={name}
              label={label(index)}
              className={layouts[layout].tile}
              onOpen={() => setOpen(index)}
            />
          </li>
        ))}
      </ul>
      <Dialog
        open={shown !== undefined}
        onOpenChange={(next) => !next && setOpen(null)}
        title={open === null ? '' : label(open)}
        size="lg"
        footer={
          names.length > 1 && (
            <>
              <Button variant="secondary" onClick={() => step(-1)}>
                <ChevronLeft aria-hidden className="rtl:-scale-x-100" />
                <span>{t('ui.previousPhoto')}</span>
              </Button>
              <Button variant="secondary" onClick={() => step(1)}>
                <span>{t('ui.nextPhoto')}</span>
                <ChevronRight aria-hidden className="rtl:-scale-x-100" />
              </Button>
            </>
          )
        }
      >
        {shown !== undefined && open !== null && (
          <div className="grid min-h-60 place-items-center">
            <ArrowKeys onStep={step} />
            <Large key={shown} bucket={bucket} name={shown} label={label(open)} />
          </div>
        )}
      </Dialog>
    </>
  )
}

/** Left and right on the keyboard, wherever in the dialog the focus is. */
function ArrowKeys({ onStep }: { onStep: (by: number) => void }) {
  useEffect(() => {
    const onKeyDown = ({ key }: KeyboardEvent) => {
      const forward = document.documentElement.dir === 'rtl' ? 'ArrowLeft' : 'ArrowRight'
      if (key === 'ArrowLeft' || key === 'ArrowRight') onStep(key === forward ? 1 : -1)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [onStep])
  return null
}

function Tile({
  bucket,
  name,
  label,
  className,
  onOpen,
}: {
  bucket: PhotoBucket
  name: string
  label: string
  className: string
  onOpen: () => void
}) {
  const { t } = useTranslation()
  const photo = usePhoto(bucket, name, { small: true })
  const [broken, setBroken] = useState(false)
  if (photo.failed || broken) {
    return (
      <button
        type="button"
        aria-label={`${label}. ${t('ui.photoMissing')}`}
        onClick={() => (photo.failed ? photo.again() : setBroken(false))}
        className={classes(
          'grid place-content-center rounded-md border border-line-strong text-ink-soft',
          className,
        )}
      >
        <ImageOff aria-hidden className="size-6" />
      </button>
    )
  }
  if (!photo.src) return <Skeleton className={classes('rounded-md', className)} />
  return (
    <button
      type="button"
      onClick={onOpen}
      className={classes(
        'block overflow-hidden rounded-md border border-line focus-visible:rounded-md',
        className,
      )}
    >
      <img
        src={photo.src}
        alt={label}
        loading="lazy"
        onError={() => setBroken(true)}
        className="size-full object-cover transition-transform duration-200 hover:scale-105 motion-reduce:transform-none"
      />
    </button>
  )
}

function Large({ bucket, name, label }: { bucket: PhotoBucket; name: string; label: string }) {
  const { src } = usePhoto(bucket, name)
  if (!src) return <Skeleton className="h-72 w-full rounded-md" />
  return <img src={src} alt={label} className="max-h-[65dvh] max-w-full rounded-md object-contain" />
}
