// One's identity documents: files of a private bucket that only the person and the reviewers open. They are sent as
// they are, so that everything on them can be read; once a verification is submitted they stay as they were.
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { limits } from '../../../../shared/limits.ts'
import type { TextKey } from '../../../i18n/index.ts'
import { useUserId } from '../../../lib/session.tsx'
import { supabase } from '../../../lib/supabase.ts'
import { useAction } from '../../../lib/useAction.ts'

const BUCKET = 'identity-documents'

/** What the BUCKET takes, by the ending that each gets. */
const types: Record<string, string> = {
  jpg: 'image/jpeg',
  png: 'image/png',
  webp: 'image/webp',
  heic: 'image/heic',
  pdf: 'application/pdf',
}
export const acceptedDocuments = [...Object.values(types), '.heic'].join(',')

/** `name` is unique in the person's folder; `size` in bytes. */
export type Document = { name: string; size: number; ending: string }

const key = (userId: string) => ['verification', userId, 'documents']

/** What the person has handed in so far, oldest first. */
export function useMyDocuments() {
  const userId = useUserId()
  return useQuery({
    queryKey: key(userId),
    queryFn: async (): Promise<Document[]> => {
      const { data, error } = await supabase.storage
        .from(BUCKET)
        .list(userId, { sortBy: { column: 'created_at', order: 'asc' } })
      if (error) throw error
      return data.map(({ name, metadata }) => ({
        name,
        size: Number(metadata?.size ?? 0),
        ending: name.split('.').at(-1) ?? '',
      }))
    },
  })
}

/** Why a file cannot be handed in, or null when it can. */
export function documentProblem(file: File): TextKey | null {
  if (!endingOf(file)) return 'verification.documentType'
  if (file.size > limits.identityDocument.max) return 'verification.documentTooLarge'
  return file.size === 0 ? 'verification.documentEmpty' : null
}

/** Some browsers do not know what a .heic file is. */
function endingOf(file: File): string | undefined {
  const byType = Object.keys(types).find((ending) => types[ending] === file.type)
  return byType ?? (file.type === '' && /\.heic$/i.test(file.name) ? 'heic' : undefined)
}

type Callbacks = { onFailed: (error: Error) => void }

/** Hands a file in that has no problem. */
export function useAddDocument({ onFailed }: Callbacks) {
  const userId = useUserId()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (file: File) => {
      const ending = endingOf(file) ?? ''
      const { error } = await supabase.storage
        .from(BUCKET)
        .upload(`${userId}/${crypto.randomUUID()}.${ending}`, file, { contentType: types[ending] })
      if (error) throw error
    },
    onError: onFailed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: key(userId) }),
  })
}

/** Takes one back, which is possible until the verification is submitted. */
export function useRemoveDocument({ onFailed }: Callbacks) {
  const userId = useUserId()
  const queryClient = useQueryClient()
  return useAction({
    mutationFn: async (name: string) => {
      const { error } = await supabase.storage.from(BUCKET).remove([`${userId}/${name}`])
      if (error) throw error
    },
    onError: onFailed,
    onSettled: () => queryClient.invalidateQueries({ queryKey: key(userId) }),
  })
}
