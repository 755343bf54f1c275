// Choosing a photo for a message: the button, and the chosen photo, until it is sent or removed.
import { ImagePlus, X } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TextKey } from '../../../i18n/index.ts'
import { PHOTO_TYPES, preparePhoto } from '../../../lib/photos.ts'
import { Button } from '../../../ui/Button.tsx'
import { PhotoPreview } from './Photo.tsx'

/** The chosen photo, ready to be sent, or the error of one that cannot be. */
export function usePhotoChoice() {
  const [photo, setPhoto] = useState<Blob | null>(null)
  const [problem, setProblem] = useState<TextKey | null>(null)
  const choose = async (file: File | undefined) => {
    if (!file) return
    const prepared = await preparePhoto(file)
    setProblem(typeof prepared === 'string' ? prepared : null)
    if (typeof prepared !== 'string') setPhoto(prepared)
  }
  const clear = () => {
    setPhoto(null)
    setProblem(null)
  }
  return { photo, problem, choose, clear }
}

type Choice = ReturnType<typeof usePhotoChoice>

export function PhotoButton({ choose }: Pick<Choice, 'choose'>) {
  const { t } = useTranslation()
  const input = useRef<HTMLInputElement>(null)
  return (
    <>
      <Button
        variant="ghost"
        size="icon"
        aria-label={t('messages.addPhoto')}
        onClick={() => input.current?.click()}
      >
        <ImagePlus aria-hidden className="!size-5.5" />
      </Button>
      <input
        ref={input}
        type="file"
        hidden
        accept={PHOTO_TYPES.join(',')}
        onChange={({ target }) => {
          void choose(target.files?.[0])
          // The same file can be chosen once more.
          target.value = ''
        }}
      />
    </>
  )
}

/** The chosen photo, above the text box. */
export function ChosenPhoto({
  photo,
  problem,
  onRemove,
}: Pick<Choice, 'photo' | 'problem'> & { onRemove: () => void }) {
  const { t } = useTranslation()
  return (
    <>
      {photo && (
        <div className="relative mb-2 w-fit">
          <PhotoPreview photo={photo} label={t('messages.chosenPhoto')} />
          <Button
            variant="secondary"
            size="icon"
            className="absolute end-1 top-1 size-9 rounded-full"
            aria-label={t('messages.removePhoto')}
            onClick={onRemove}
          >
            <X aria-hidden />
          </Button>
        </div>
      )}
      {problem && (
        <p role="alert" className="mb-2 text-sm text-danger">
          {t(problem) as string}
        </p>
      )}
    </>
  )
}
