// A chosen picture made into a profile photo: square, small, upright, without what the camera wrote into the file
// (where it was taken, say). It is made here rather than by the storage service, whose transformation costs extra on
// a hosted project, and so that megabytes need not leave a phone. Specification 001 §3, §7.
import { limits } from '../../../../shared/limits.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { PUBLIC_CACHE_SECONDS } from '../../../lib/photos.ts'
import { toJpeg } from '../../../lib/picture.ts'
import { supabase } from '../../../lib/supabase.ts'

const BUCKET = 'profile-photos'
const JPEG_QUALITY = 0.88

/** Accepted types of pictures: those that the bucket takes and browsers open. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']

/** Why a chosen file cannot become a photo; `text` tells the person what to do. */
export class PhotoProblem extends Error {
  readonly text: TextKey

  constructor(text: TextKey) {
    super(text)
    this.text = text
  }
}

/** The middle square of a picture as a JPEG. Throws PhotoProblem when the file is too large or no picture. */
export async function preparePhoto(file: File): Promise<Blob> {
  if (file.size > limits.photoFile.max) throw new PhotoProblem('profile.photoTooLarge')
  if (!PHOTO_TYPES.includes(file.type)) throw new PhotoProblem('profile.photoUnreadable')
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => {
    throw new PhotoProblem('profile.photoUnreadable')
  })
  const cut = Math.min(picture.width, picture.height)
  const side = Math.min(cut, limits.photoFile.side)
  const part = { x: (picture.width - cut) / 2, y: (picture.height - cut) / 2, width: cut, height: cut }
  const photo = await toJpeg(picture, part, { width: side, height: side }, JPEG_QUALITY)
  if (!photo) throw new PhotoProblem('profile.photoUnreadable')
  return photo
}

/**
 * Puts a prepared photo up under a new name; the database removes the one before it once the profile points to this one.
 * Resolves to its address.
 */
export async function uploadPhoto(userId: string, photo: Blob): Promise<string> {
  const photos = supabase.storage.from(BUCKET)
  const path = `${userId}/${crypto.randomUUID()}.jpg`
  const { error } = await photos.upload(path, photo, {
    contentType: 'image/jpeg',
    cacheControl: PUBLIC_CACHE_SECONDS,
  })
  if (error) throw error
  const address = new URL(photos.getPublicUrl(path).data.publicUrl)
  // From the app's own origin the path is enough, and holds when the app moves to another address.
  return address.origin === location.origin ? address.pathname : address.href
}
