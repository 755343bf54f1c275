// Photos on their way to and from the storage service: made small and upright without what the camera wrote into them
// (where they were taken, say), uploaded with their progress, and read again.
import { queryOptions } from '@tanstack/react-query'
import { limits } from '../../shared/limits.ts'
import type { TextKey } from '../i18n/index.ts'
import { config } from './config.ts'
import { smallName } from './photoAddress.ts'
import { toJpeg } from './picture.ts'
import { supabase } from './supabase.ts'

/** Where photos lie; those of tasks are public, the others are read by their people only. */
export type PhotoBucket = 'task-photos' | 'booking-photos' | 'chat-photos'

/** Pixels of the longer side. */
const MAX_SIDE = 2048
/** The same of the small copy of a task's photo, for cards. */
const SMALL_SIDE = 480
const JPEG_QUALITY = 0.85
const TIMEOUT_MS = 120_000
/** Answers of a server that is there and may well take the photo a little later. */
const LATER = [401, 408, 429]
/** A name is never used twice, so that its content never changes. */
const FOREVER = '31536000'
/** Names of public pictures are used once, too; but caches are to forget soon one that an administrator hides. Seconds. */
export const PUBLIC_CACHE_SECONDS = '3600'

/** Types that browsers open. Uploads are always JPEG. */
export const PHOTO_TYPES = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']

/** The chosen file as it is sent, or why it cannot be. */
export async function preparePhoto(file: File): Promise<Blob | TextKey> {
  if (!PHOTO_TYPES.includes(file.type)) return 'ui.photoUnreadable'
  if (file.size > limits.photoFile.max) return 'ui.photoTooLarge'
  return (await shrunk(file, MAX_SIDE)) ?? 'ui.photoUnreadable'
}

/** A picture as a JPEG with that longer side at most, in pixels; null when it is none. */
async function shrunk(file: Blob, side: number): Promise<Blob | null> {
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null)
  if (!picture) return null
  const { width, height } = picture
  const scale = Math.min(1, side / Math.max(width, height))
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  }
  return toJpeg(picture, { x: 0, y: 0, width, height }, size, JPEG_QUALITY)
}

/** Uploads a prepared photo with a small one for cards, which goes first: where there is a photo, there is the small one. */
export async function uploadWithSmall(
  bucket: PhotoBucket,
  name: string,
  photo: Blob,
  onProgress: (share: number) => void,
) {
  const small = await shrunk(photo, SMALL_SIDE)
  const sent = small ? await uploadPhoto(bucket, smallName(name), small, () => {}) : 'sent'
  return sent === 'sent' ? uploadPhoto(bucket, name, photo, onProgress) : sent
}

/**
 * Uploads a prepared photo; `onProgress` hears what share of it has left. Resolves to 'sent', also when it is there
 * already because an answer was lost; to 'unreachable' when nobody knows whether it arrived; to the refusal.
 */
export async function uploadPhoto(
  bucket: PhotoBucket,
  name: string,
  photo: Blob,
  onProgress: (share: number) => void,
): Promise<'sent' | 'unreachable' | Error> {
  const { data } = await supabase.auth.getSession()
  const token = data.session?.access_token ?? config.supabaseKey
  // fetch tells nothing of an upload's progress.
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('POST', `${config.supabaseUrl}/storage/v1/object/${bucket}/${name}`)
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.setRequestHeader('apikey', config.supabaseKey)
    request.setRequestHeader('content-type', 'image/jpeg')
    request.setRequestHeader(
      'cache-control',
      `max-age=${bucket === 'task-photos' ? PUBLIC_CACHE_SECONDS : FOREVER}`,
    )
    request.timeout = TIMEOUT_MS
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onload = () => resolve(uploadOutcome(request))
    request.onerror = () => resolve('unreachable')
    request.ontimeout = () => resolve('unreachable')
    request.send(photo)
  })
}

/** The storage service says in its body what kind of refusal a 400 is. */
function uploadOutcome({ status, responseText }: XMLHttpRequest): 'sent' | 'unreachable' | Error {
  if (status < 300) return 'sent'
  const { statusCode, message } = answered(responseText)
  const code = Number(statusCode ?? status)
  if (code === 409) return 'sent'
  return code >= 400 && code < 500 && !LATER.includes(code) ? new Error(message) : 'unreachable'
}

function answered(body: string): { statusCode?: string; message?: string } {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

/** Removes an unused photo; the storage service keeps photos that are in use. */
export function discardPhoto(bucket: PhotoBucket, name: string): void {
  void supabase.storage.from(bucket).remove([name, smallName(name)])
}

/** A photo that only its people see; never by an address that others could use. */
export const photoQuery = (bucket: PhotoBucket, name: string) =>
  queryOptions({
    queryKey: ['photo', bucket, name],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Blob> => {
      const { data, error } = await supabase.storage.from(bucket).download(name)
      if (error) throw error
      return data
    },
  })
