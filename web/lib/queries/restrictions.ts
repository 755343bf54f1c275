// The person's hidden content and suspension, with the reasons.
import { queryOptions, useQuery } from '@tanstack/react-query'
import { useSession } from '../session.tsx'
import { supabase } from '../supabase.ts'
import { z } from '../zod.ts'

const restriction = z.object({
  kind: z.enum(['suspension', 'profile', 'task', 'review', 'message', 'question', 'answer']),
  /** Of the task, the review, the message or the person. */
  id: z.string(),
  /** Where it is looked at: the task, also of a question, the reviewed person, the booking of the message. */
  subject_id: z.string(),
  title: z.string().nullable(),
  reason: z.string().nullable(),
})

export type Restriction = z.infer<typeof restriction>

export const RESTRICTIONS_KEY = ['restrictions'] as const

const restrictionsQuery = (userId: string | undefined) =>
  queryOptions({
    queryKey: [...RESTRICTIONS_KEY, userId],
    enabled: userId !== undefined,
    queryFn: async ({ signal }) => {
      const { data } = await supabase.rpc('my_restrictions').abortSignal(signal).throwOnError()
      return z.array(restriction).parse(data)
    },
  })

/** Newest first. */
export const useRestrictionsQuery = () => useQuery(restrictionsQuery(useSession().user?.id))

/** None while they are not known. */
export const useRestrictions = (): Restriction[] => useRestrictionsQuery().data ?? []
