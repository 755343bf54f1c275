// Whether notifications are mailed to somebody's address: mail that came back, or was marked as spam, ends that.
import { queryOptions } from '@tanstack/react-query'
import { supabase } from '../supabase.ts'
import { z } from '../zod.ts'

const suppressed = z.object({
  address: z.string(),
  reason: z.enum(['bounced', 'complained']),
  /** The mail server's words. */
  detail: z.string().nullable(),
  since: z.string(),
})

export type SuppressedAddress = z.infer<typeof suppressed>

export const suppressedAddressKey = (person: string) => ['suppressedAddress', person] as const

/** Null while e-mails are sent. Admins may ask about others. */
export async function readSuppressedAddress(person: string, signal: AbortSignal) {
  const { data } = await supabase.rpc('suppressed_address', { person }).abortSignal(signal).throwOnError()
  return suppressed.nullable().parse(data)
}

export const suppressedAddressQuery = (person: string) =>
  queryOptions({
    queryKey: suppressedAddressKey(person),
    queryFn: ({ signal }) => readSuppressedAddress(person, signal),
  })

/** Has e-mails sent to the person's address again. */
export async function resumeEmails(person: string): Promise<void> {
  await supabase.rpc('resume_emails', { person }).throwOnError()
}
