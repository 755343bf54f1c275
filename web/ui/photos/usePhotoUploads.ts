// Photos of a form on their way: each is made small, uploaded at once and then a name in the form's value; until then its
// place in the value says that it is waited for. What fails can be tried again, and what is removed is taken down.
import { useEffect, useRef, useState } from 'react'
import { type FieldValues, type Path, type PathValue, useFormContext } from 'react-hook-form'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../lib/errorText.ts'
import {
  discardPhoto,
  type PhotoBucket,
  photoQuery,
  preparePhoto,
  uploadPhoto,
  uploadWithSmall,
} from '../../lib/photos.ts'
import { queryClient } from '../../lib/queryClient.ts'
import { isWaitedFor, WAITED_FOR } from './photoNames.ts'

/** A photo that this page has sent, or is sending; `share` from 0 to 1. */
export type Upload = { photo: Blob; share: number; problem?: string }

export type PhotoPlace = {
  bucket: PhotoBucket
  /** The first part of the names. */
  folder: string
  /** A small one beside each, for cards. */
  small?: boolean
  /** How many there can be. */
  max: number
}

export function usePhotoUploads<Values extends FieldValues>(
  field: Path<Values>,
  { bucket, folder, small = false, max }: PhotoPlace,
) {
  const { t } = useTranslation()
  const { getValues, setValue, clearErrors } = useFormContext<Values>()
  const [uploads, setUploads] = useState<ReadonlyMap<string, Upload>>(new Map())
  const [problem, setProblem] = useState<string>()
  const live = useRef(uploads)
  const note = (name: string, change: Partial<Upload> | null) => {
    const next = new Map(live.current)
    const known = next.get(name)
    if (change === null) next.delete(name)
    else if (known) next.set(name, { ...known, ...change })
    live.current = next
    setUploads(next)
  }
  const value = () => (getValues(field) ?? []) as string[]
  const change = (names: string[]) => {
    clearErrors(field)
    setValue(field, names as PathValue<Values, Path<Values>>, { shouldDirty: true })
  }

  // What a draft says is on its way is not: the page that sent it is gone.
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the form begins
  useEffect(() => {
    const kept = value().filter((name) => !isWaitedFor(name))
    if (kept.length < value().length) change(kept)
  }, [])

  const send = async (name: string, photo: Blob) => {
    note(name, { share: 0, problem: undefined })
    const upload = small ? uploadWithSmall : uploadPhoto
    const outcome = await upload(bucket, name, photo, (share) => note(name, { share }))
    if (!live.current.has(name)) return discardPhoto(bucket, name)
    if (outcome !== 'sent') {
      note(name, { problem: outcome === 'unreachable' ? t('ui.photoUnsent') : errorText(outcome) })
      return
    }
    queryClient.setQueryData(photoQuery(bucket, name).queryKey, photo)
    note(name, { share: 1 })
    change(value().map((one) => (one === WAITED_FOR + name ? name : one)))
  }

  const add = async (files: File[]) => {
    setProblem(undefined)
    for (const file of files) {
      if (value().length >= max) return setProblem(t('ui.photosFull', { count: max }))
      const photo = await preparePhoto(file)
      if (typeof photo === 'string') {
        setProblem(t(photo) as string)
        continue
      }
      if (value().length >= max) return setProblem(t('ui.photosFull', { count: max }))
      const name = `${folder}/${crypto.randomUUID()}.jpg`
      live.current = new Map(live.current).set(name, { photo, share: 0 })
      change([...value(), WAITED_FOR + name])
      void send(name, photo)
    }
  }

  /** `entry` as the form's value has it. */
  const remove = (entry: string) => {
    const name = entry.replace(WAITED_FOR, '')
    setProblem(undefined)
    note(name, null)
    change(value().filter((one) => one !== entry))
    if (!isWaitedFor(entry)) discardPhoto(bucket, name)
  }

  const again = (name: string) => {
    const upload = live.current.get(name)
    if (upload) void send(name, upload.photo)
  }

  return { uploads, problem, add, remove, again }
}
