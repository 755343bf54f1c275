// One's identity documents: files of a private bucket that only the person and the reviewers open. They are sent as
// they are, so that everything on them can be read; once a verification is submitted they stay as they were.
import { queryOptions } from '@tanstack/react-query'
import { limits } from '../../../../shared/limits.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

const BUCKET = 'identity-documents'

/** Types that the bucket accepts, with the extension of each. */
const types: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  heic: 'image/heic',
  pdf: 'application/pdf',
}
export const acceptedDocuments = [...Object.values(types), '.heic'].join(',')

/** `name` is unique in the person's folder; `size` in bytes. */
export type Document = { name: string; size: number; extension: string }

/** The person's submitted documents, oldest first. */
export const myDocumentsQuery = (userId: string) =>
  queryOptions({
    queryKey: ['verification', userId, 'documents'],
    queryFn: async (): Promise<Document[]> => {
      const { data, error } = await supabase.storage
        .from(BUCKET)
        .list(userId, { sortBy: { column: 'created_at', order: 'asc' } })
      if (error) throw error
      return data.map(({ name, metadata }) => ({
        name,
        size: Number(metadata?.size ?? 0),
        extension: name.split('.').at(-1) ?? '',
      }))
    },
  })

/** Types that browsers show as a picture. */
const PICTURES = ['jpg', 'png', 'webp']

/** A document's picture; null if it is not a picture. It is forgotten with the page that shows it. */
export const documentPictureQuery = (userId: string, { name, extension }: Document) =>
  queryOptions({
    queryKey: ['verification', userId, 'picture', name],
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
    queryFn: async (): Promise<Blob | null> => {
      if (!PICTURES.includes(extension)) return null
      const { data, error } = await supabase.storage.from(BUCKET).download(`${userId}/${name}`)
      if (error) throw error
      return data
    },
  })

/** Why a file cannot be handed in, or null when it can. */
export function documentProblem(file: File): TextKey | null {
  if (!extensionOf(file)) return 'verification.documentType'
  if (file.size > limits.identityDocument.max) return 'verification.documentTooLarge'
  return file.size === 0 ? 'verification.documentEmpty' : null
}

/** Some browsers do not know what a .heic file is. */
function extensionOf(file: File): string | undefined {
  const byType = Object.keys(types).find((extension) => types[extension] === file.type)
  return byType ?? (file.type === '' && /\.heic$/i.test(file.name) ? 'heic' : undefined)
}

/** Uploads a file that has no problem. */
export const addDocument = (userId: string): Action<File> => ({
  invalidates: [myDocumentsQuery(userId).queryKey],
  invalidatesOnError: true,
  run: async (file) => {
    const extension = extensionOf(file) ?? ''
    const { error } = await supabase.storage
      .from(BUCKET)
      .upload(`${userId}/${crypto.randomUUID()}.${extension}`, file, { contentType: types[extension] })
    if (error) throw error
  },
})

/** Removes one by its name, which is possible until the verification is submitted. */
export const removeDocument = (userId: string): Action<string> => ({
  invalidates: [myDocumentsQuery(userId).queryKey],
  invalidatesOnError: true,
  run: async (name) => {
    const { error } = await supabase.storage.from(BUCKET).remove([`${userId}/${name}`])
    if (error) throw error
  },
})
