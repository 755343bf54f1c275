// Choosing photos in a form: added by a click or by dropping them, each with its progress, and removed.
import { ImagePlus, RotateCw, X } from 'lucide-react'
import { type Ref, useEffect, useId, useRef } from 'react'
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
import { type PhotoPlace, type Upload, usePhotoUploads } from './usePhotoUploads.ts'

type PhotoFieldProps<Values extends FieldValues> = Omit<PhotoPlace, 'max'> & {
  /** A list of names; its rule is photoNames. */
  name: Path<Values>
  label: string
  hint: string
  /** At least one is needed, as its rule says. */
  required?: boolean
  /** Takes pictures that were brought along; they are added when the form begins. */
  brought?: (() => Promise<File[]>) | undefined
}

const TILE_CLASSES = 'relative size-24 overflow-hidden rounded-md border border-line bg-sunken'

/** `<PhotoField<TaskForm> name="photos" label={…} hint={…} bucket="task-photos" folder={userId} small />`, in a Form. */
export function PhotoField<Values extends FieldValues>({
  name,
  label,
  hint,
  required = false,
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
  const failed = [...uploads.values()].find((upload) => upload.problem)

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
        {!required && <span className="ms-1.5 text-sm font-normal text-ink-faint">{t('ui.optional')}</span>}
      </legend>
      <ul className="flex flex-wrap gap-3">
        {entries.map((entry, index) => {
          const photo = entry.replace(WAITED_FOR, '')
          const upload = uploads.get(photo)
          return (
            <PhotoTile
              key={photo}
              number={index + 1}
              bucket={place.bucket}
              name={photo}
              upload={upload}
              isWaitedFor={isWaitedFor(entry)}
              onAgain={() => again(photo)}
              onRemove={() => {
                remove(entry)
                // The button goes with its photo; the keyboard's place stays.
                group.current?.focus()
              }}
            />
          )
        })}
        {!full && (
          <li>
            <AddButton isFirst={entries.length === 0} onClick={() => input.current?.click()} />
          </li>
        )}
      </ul>
      <p id={`${id}-hint`} className="text-sm text-ink-faint">
        {full ? t('ui.photosFull', { count: max }) : hint}
      </p>
      {failed?.problem && !error && <FieldError>{failed.problem}</FieldError>}
      {error && <FieldError id={`${id}-error`}>{error}</FieldError>}
      <UploadStatus waiting={waiting} there={uploads.size > 0 ? entries.length : null} />
      {/* Opened by the button above. */}
      <PhotoInput ref={input} onChoose={(files) => void add(files)} />
    </fieldset>
  )
}

type PhotoTileProps = Pick<PhotoPlace, 'bucket'> & {
  name: string
  /** Its place in the list, from 1 on. */
  number: number
  /** Undefined for a photo that was there before. */
  upload: Upload | undefined
  isWaitedFor: boolean
  onAgain: () => void
  onRemove: () => void
}

function PhotoTile({ bucket, name, number, upload, isWaitedFor, onAgain, onRemove }: PhotoTileProps) {
  const { t } = useTranslation()
  const label = t('ui.photoNumber', { number })
  return (
    <li className={TILE_CLASSES}>
      {upload ? (
        <Chosen photo={upload.photo} label={label} faded={isWaitedFor} />
      ) : (
        <Kept bucket={bucket} name={name} label={label} />
      )}
      {upload?.problem ? (
        <Button
          variant="secondary"
          size="sm"
          className="absolute inset-x-1 bottom-1 px-1"
          aria-label={t('ui.photoAgain', { number })}
          onClick={onAgain}
        >
          <RotateCw aria-hidden />
          <span>{t('ui.again')}</span>
        </Button>
      ) : (
        upload &&
        isWaitedFor && (
          <Progress
            label={t('ui.photoUploading', { number })}
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
        aria-label={t('ui.photoRemove', { number })}
        onClick={onRemove}
      >
        <X aria-hidden />
      </Button>
    </li>
  )
}

function AddButton({ isFirst, onClick }: { isFirst: boolean; onClick: () => void }) {
  const { t } = useTranslation()
  return (
    <button
      type="button"
      onClick={onClick}
      className="grid size-24 place-content-center justify-items-center gap-1.5 rounded-md border border-dashed border-line-strong bg-surface px-2 text-center text-sm leading-tight font-semibold text-sky transition-colors hover:bg-sunken"
    >
      <ImagePlus aria-hidden className="size-6" />
      <span>{t(isFirst ? 'ui.addPhotos' : 'ui.addMorePhotos')}</span>
    </button>
  )
}

/** Announces how many photos are on their way, or how many are there once all have arrived. */
function UploadStatus({ waiting, there }: { waiting: number; there: number | null }) {
  const { t } = useTranslation()
  return (
    <p role="status" className="sr-only">
      {waiting > 0
        ? t('ui.photosOnTheWay', { count: waiting })
        : there !== null && t('ui.photosThere', { count: there })}
    </p>
  )
}

type PhotoInputProps = { ref: Ref<HTMLInputElement>; onChoose: (files: File[]) => void }

function PhotoInput({ ref, onChoose }: PhotoInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      hidden
      multiple
      accept={PHOTO_TYPES.join(',')}
      onChange={({ target }) => {
        onChoose([...(target.files ?? [])])
        // The same file can be chosen once more.
        target.value = ''
      }}
    />
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
