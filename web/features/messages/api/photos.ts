// Photos of a chat: made small and upright without what the camera wrote into them (where they were taken, say), put into
// a private bucket with a bar that shows how far they are, and read by the two people of the booking only.
import { queryOptions } from '@tanstack/react-query'
import { limits } from '../../../../shared/limits.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { config } from '../../../lib/config.ts'
import { toJpeg } from '../../../lib/picture.ts'
import { supabase } from '../../../lib/supabase.ts'

const BUCKET = 'chat-photos'
/** Pixels of the longer side. */
const MAX_SIDE = 2048
const JPEG_QUALITY = 0.85
const TIMEOUT_MS = 120_000
/** Answers of a server that is there and may well take the photo a little later. */
const LATER = [401, 408, 429]

/** What browsers open; what is put into the bucket is always a JPEG. */
export const photoTypes = ['image/jpeg', 'image/png', 'image/webp', 'image/gif', 'image/avif']

export const photoPath = (bookingId: string, messageId: string) => `${bookingId}/${messageId}.jpg`

/** The chosen file as it is sent, or why it cannot be. */
export async function preparePhoto(file: File): Promise<Blob | TextKey> {
  if (!photoTypes.includes(file.type)) return 'messages.photoUnreadable'
  if (file.size > limits.photoFile.max) return 'messages.photoTooLarge'
  const picture = await createImageBitmap(file, { imageOrientation: 'from-image' }).catch(() => null)
  if (!picture) return 'messages.photoUnreadable'
  const { width, height } = picture
  const scale = Math.min(1, MAX_SIDE / Math.max(width, height))
  const size = {
    width: Math.max(1, Math.round(width * scale)),
    height: Math.max(1, Math.round(height * scale)),
  }
  const photo = await toJpeg(picture, { x: 0, y: 0, width, height }, size, JPEG_QUALITY)
  return photo ?? 'messages.photoUnreadable'
}

/**
 * Uploads a prepared photo; `onProgress` hears what share of it has left. Resolves like sendMessage: a photo whose answer
 * was lost is there already, and counts as sent.
 */
export async function uploadPhoto(
  path: string,
  photo: Blob,
  onProgress: (share: number) => void,
): Promise<'sent' | 'unreachable' | Error> {
  const { data } = await supabase.auth.getSession()
  const token = data.session?.access_token ?? config.supabaseKey
  // fetch tells nothing of an upload's progress.
  return new Promise((resolve) => {
    const request = new XMLHttpRequest()
    request.open('POST', `${config.supabaseUrl}/storage/v1/object/${BUCKET}/${path}`)
    request.setRequestHeader('authorization', `Bearer ${token}`)
    request.setRequestHeader('apikey', config.supabaseKey)
    request.setRequestHeader('content-type', 'image/jpeg')
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

/** A photo of a message; never by an address that others could use. */
export const photoQuery = (path: string) =>
  queryOptions({
    queryKey: ['chat photo', path],
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async (): Promise<Blob> => {
      const { data, error } = await supabase.storage.from(BUCKET).download(path)
      if (error) throw error
      return data
    },
  })
