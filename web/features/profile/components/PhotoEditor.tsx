// One's face on the profile's card: choosing a photo, a look at it, taking it away. It counts once the form is saved.
import { Camera, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { errorText } from '../../../lib/errorText.ts'
import { Avatar } from '../../../ui/Avatar.tsx'
import { Button } from '../../../ui/Button.tsx'
import { Spinner } from '../../../ui/Spinner.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { PHOTO_TYPES, PhotoProblem, preparePhoto, uploadPhoto } from '../api/photo.ts'
import type { OwnProfile } from '../api/queries.ts'

/** A photo chosen and not yet saved: its address, null to have none, undefined when nothing was chosen. */
export type PhotoDraft = string | null | undefined

export function PhotoEditor({
  profile,
  draft,
  onDraft,
}: {
  profile: OwnProfile
  draft: PhotoDraft
  onDraft: (draft: string | null) => void
}) {
  const { t } = useTranslation()
  const file = useRef<HTMLInputElement>(null)
  const [preview, setPreview] = useState<string>()
  useEffect(() => () => URL.revokeObjectURL(preview ?? ''), [preview])
  const shown = draft === undefined ? profile.avatar_url : draft

  const choose = async (chosen: File) => {
    try {
      const photo = await preparePhoto(chosen)
      setPreview(URL.createObjectURL(photo))
      onDraft(await uploadPhoto(profile.id, photo))
      toast.success(t('profile.photoUploaded'), { description: t('profile.photoUploadedBody') })
    } catch (error) {
      toast.error(t('profile.uploadFailed'), {
        description: error instanceof PhotoProblem ? t(error.text) : errorText(error),
      })
    } finally {
      setPreview(undefined)
    }
  }

  return (
    <div className="flex items-center gap-x-4 gap-y-3 max-sm:contents sm:flex-col">
      <Face name={profile.full_name} src={preview ?? shown} uploading={preview !== undefined} />
      <div className="flex min-w-0 flex-1 flex-wrap gap-2 max-sm:order-1 max-sm:col-span-2 sm:justify-center">
        <Button
          variant="secondary"
          size="sm"
          disabled={preview !== undefined}
          onClick={() => file.current?.click()}
        >
          <Camera aria-hidden />
          <span>{t(shown ? 'profile.changePhoto' : 'profile.addPhoto')}</span>
        </Button>
        {shown && (
          <Button variant="ghost" size="sm" disabled={preview !== undefined} onClick={() => onDraft(null)}>
            <Trash2 aria-hidden />
            <span>{t('profile.removePhoto')}</span>
          </Button>
        )}
        {/* The button above stands for it: it can be styled and says what it does. */}
        <input
          ref={file}
          type="file"
          accept={PHOTO_TYPES.join(',')}
          hidden
          onChange={(event) => {
            const [chosen] = event.target.files ?? []
            event.target.value = ''
            if (chosen) choose(chosen)
          }}
        />
      </div>
      <p role="status" className="text-sm text-ink-soft empty:hidden max-sm:order-1 max-sm:col-span-2">
        {draft !== undefined && draft !== profile.avatar_url && t('profile.photoUnsaved')}
      </p>
    </div>
  )
}

type FaceProps = { name: string | null; src: string | null | undefined; uploading: boolean }

function Face({ name, src, uploading }: FaceProps) {
  const { t } = useTranslation()
  return (
    <span className="relative" aria-busy={uploading}>
      <Avatar name={name} src={src} size="xl" className="max-sm:size-16 max-sm:text-xl" />
      {uploading && (
        <span
          role="status"
          className="absolute inset-0 grid place-items-center rounded-full bg-scrim text-paper"
        >
          <Spinner className="size-8" />
          <span className="sr-only">{t('profile.photoUploading')}</span>
        </span>
      )}
    </span>
  )
}
