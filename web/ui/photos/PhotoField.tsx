// Choosing photos in a form: added by a click or by dropping them, each with its progress, and removed.
import { ImagePlus, RotateCw, X } from 'lucide-react'
import { useEffect, useId, useRef } from 'react'
import { type FieldValues, type Path, useFormContext, useWatch } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../shared/limits.ts'
import { PHOTO_TYPES } from '../../lib/photos.ts'
import { Button } from '../Button.tsx'
import { classes } from '../classes.ts'
import { useErrorText } from '../form/errors.ts'
import { FieldError } from '../form/Field.tsx'
import { Progress } from '../Progress.tsx'
import { Skeleton } from '../Skeleton.tsx'
import { isWaitedFor, WAITED_FOR } from './photoNames.ts'
import { useObjectUrl, usePhoto } from './usePhoto.ts'
import { type PhotoPlace, usePhotoUploads } from './usePhotoUploads.ts'

type PhotoFieldProps<Values extends FieldValues> = Omit<PhotoPlace, 'max'> & {
  /** A list of names; its rule is photoNames. */
  name: Path<Values>
  label: string
  hint: string
  /** Takes pictures that were brought along; they are added when the form begins. */
  brought?: (() => Promise<File[]>) | undefined
}

const TILE_CLASSES = 'relative size-24 overflow-hidden rounded-md border border-line bg-sunken'

/** `<PhotoField<TaskForm> name="photos" label={…} hint={…} bucket="task-photos" folder={userId} small />`, in a Form. */
export function PhotoField<Values extends FieldValues>({
  name,
  label,
  hint,
  brought,
  ...place
}: PhotoFieldProps<Values>) {
  const { t } = useTranslation()
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  const group = useRef<HTMLFieldSetElement>(null)
  const max = limits.photos.count
  const { uploads, problem, add, remove, again } = usePhotoUploads<Values>(name, { ...place, max })
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form begins
  useEffect(() => {
    void brought?.().then(add)
  }, [])
  const entries = (useWatch<Values>({ name }) ?? []) as string[]
  const { getFieldState, formState } = useFormContext<Values>()
  const error = useErrorText()(getFieldState(name, formState).error) ?? problem
  const waiting = entries.filter(isWaitedFor).length
  const full = entries.length >= max

  return (
    <fieldset
      ref={group}
      tabIndex={-1}
      aria-describedby={classes(`${id}-hint`, error && `${id}-error`)}
      className="flex min-w-0 flex-col gap-1.5 outline-none"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        void add([...event.dataTransfer.files])
      }}
    >
      <legend className="mb-1.5 font-semibold">
        <span>{label}</span>
        <span className="ms-1.5 text-sm font-normal text-ink-faint">{t('ui.optional')}</span>
      </legend>
      <ul className="flex flex-wrap gap-3">
        {entries.map((entry, index) => {
          const photo = entry.replace(WAITED_FOR, '')
          const upload = uploads.get(photo)
          const number = t('ui.photoNumber', { number: index + 1 })
          return (
            <li key={photo} className={TILE_CLASSES}>
              {upload ? (
                <Chosen photo={upload.photo} label={number} faded={isWaitedFor(entry)} />
              ) : (
                <Kept {...place} name={photo} label={number} />
              )}
              {upload?.problem ? (
                <Button
                  variant="secondary"
                  size="sm"
                  className="absolute inset-x-1 bottom-1 px-1"
                  aria-label={t('ui.photoAgain', { number: index + 1 })}
                  onClick={() => again(photo)}
                >
                  <RotateCw aria-hidden />
                  <span>{t('ui.again')}</span>
                </Button>
              ) : (
                upload &&
                isWaitedFor(entry) && (
                  <Progress
                    label={t('ui.photoUploading', { number: index + 1 })}
                    value={upload.share}
                    max={1}
                    className="absolute inset-x-1.5 bottom-1.5 w-auto bg-surface"
                  />
                )
              )}
              <Button
                variant="secondary"
                size="icon"
                className="absolute end-1 top-1 size-8 rounded-full"
                aria-label={t('ui.photoRemove', { number: index + 1 })}
                onClick={() => {
                  remove(entry)
                  // The button goes with its photo; the keyboard's place stays.
                  group.current?.focus()
                }}
              >
                <X aria-hidden />
              </Button>
            </li>
          )
        })}
        {!full && (
          <li>
            <button
              type="button"
              onClick={() => input.current?.click()}
              className="grid size-24 place-content-center justify-items-center gap-1.5 rounded-md border border-dashed border-line-strong bg-surface px-2 text-center text-sm leading-tight font-semibold text-sky transition-colors hover:bg-sunken"
            >
              <ImagePlus aria-hidden className="size-6" />
              <span>{t(entries.length === 0 ? 'ui.addPhotos' : 'ui.addMorePhotos')}</span>
            </button>
          </li>
        )}
      </ul>
      <p id={`${id}-hint`} className="text-sm text-ink-faint">
        {full ? t('ui.photosFull', { count: max }) : hint}
      </p>
      {[...uploads.values()].some((upload) => upload.problem) && !error && (
        <FieldError>{[...uploads.values()].find((upload) => upload.problem)?.problem}</FieldError>
      )}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      <p role="status" className="sr-only">
        {waiting > 0
          ? t('ui.photosOnTheWay', { count: waiting })
          : uploads.size > 0 && t('ui.photosThere', { count: entries.length })}
      </p>
      {/* The button above stands for it. */}
      <input
        ref={input}
        type="file"
        hidden
        multiple
        accept={PHOTO_TYPES.join(',')}
        onChange={({ target }) => {
          void add([...(target.files ?? [])])
          // The same file can be chosen once more.
          target.value = ''
        }}
      />
    </fieldset>
  )
}

const IMAGE_CLASSES = 'size-full object-cover'

function Chosen({ photo, label, faded }: { photo: Blob; label: string; faded: boolean }) {
  const src = useObjectUrl(photo)
  return src ? <img src={src} alt={label} className={classes(IMAGE_CLASSES, faded && 'opacity-60')} /> : null
}

function Kept({ bucket, name, label }: Pick<PhotoPlace, 'bucket'> & { name: string; label: string }) {
  const { src } = usePhoto(bucket, name, { small: true })
  return src ? <img src={src} alt={label} className={IMAGE_CLASSES} /> : <Skeleton className="size-full" />
}
