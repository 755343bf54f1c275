// Reads bounces and complaints from the events of Amazon SES, Postmark, Resend and the operator's own scripts. Other events
// (deliveries, opened e-mails) are ignored.
import { z } from 'zod'
import { HttpError } from '../_shared/respond.ts'
import { type Cause, isSpamReport, type MailEvent } from './event.ts'

const address = z.string().min(3).max(320)
const headers = z.array(z.object({ name: z.string(), value: z.string() })).optional()

const recipient = z.object({
  emailAddress: address,
  status: z.string().optional(),
  diagnosticCode: z.string().optional(),
})
/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html */
const ses = z.object({
  notificationType: z.string().optional(),
  // Events of a configuration set have this field instead.
  eventType: z.string().optional(),
  mail: z.object({ headers }),
  bounce: z
    .object({
      bounceType: z.string(),
      bounceSubType: z.string(),
      bouncedRecipients: z.array(recipient),
      feedbackId: z.string(),
    })
    .optional(),
  complaint: z
    .object({
      complainedRecipients: z.array(recipient),
      complaintFeedbackType: z.string().nullish(),
      feedbackId: z.string(),
    })
    .optional(),
})

export function sesEvents(value: unknown): MailEvent[] {
  const { bounce, complaint, mail } = parsed(ses, value)
  const messageId = mail.headers?.find(({ name }) => name.toLowerCase() === 'message-id')?.value ?? null
  const of = (
    { feedbackId }: { feedbackId: string },
    { emailAddress, diagnosticCode }: typeof recipient._zod.output,
  ) => ({
    id: `ses ${feedbackId} ${emailAddress}`,
    address: emailAddress,
    messageId,
    detail: diagnosticCode ?? null,
  })
  return [
    ...(bounce?.bouncedRecipients.map((one) => ({
      ...of(bounce, one),
      type: 'bounced' as const,
      cause: sesCause(bounce.bounceType, bounce.bounceSubType),
    })) ?? []),
    ...(complaint && isSpamReport(complaint.complaintFeedbackType)
      ? complaint.complainedRecipients.map((one) => ({ ...of(complaint, one), type: 'complained' as const }))
      : []),
  ]
}

function sesCause(type: string, subType: string): Cause {
  if (type === 'Permanent') return 'address'
  return /^(MessageTooLarge|ContentRejected|AttachmentRejected)$/.test(subType) ? 'message' : 'temporary'
}

/** https://postmarkapp.com/developer/webhooks/bounce-webhook */
const postmark = z.object({
  ID: z.number(),
  Type: z.string(),
  Email: address,
  MessageID: z.string(),
  Details: z.string().optional(),
})
const postmarkRecord = z.object({ RecordType: z.string() })
const POSTMARK_CAUSES: Record<string, Cause> = {
  HardBounce: 'address',
  BadEmailAddress: 'address',
  SoftBounce: 'temporary',
  DnsError: 'temporary',
  Transient: 'temporary',
  SpamNotification: 'message',
  Blocked: 'message',
  DMARCPolicy: 'message',
}

export function postmarkEvents(value: unknown): MailEvent[] {
  const { RecordType } = parsed(postmarkRecord, value)
  // Deliveries and opened e-mails have other fields.
  if (RecordType !== 'Bounce' && RecordType !== 'SpamComplaint') return []
  const { ID, Type, Email, Details } = parsed(postmark, value)
  const event = { id: `postmark ${ID}`, address: Email, messageId: null, detail: Details ?? null }
  if (RecordType === 'SpamComplaint') return [{ ...event, type: 'complained' }]
  const cause = POSTMARK_CAUSES[Type]
  return cause ? [{ ...event, type: 'bounced', cause }] : []
}

/** https://resend.com/docs/webhooks/emails/bounced */
const resend = z.object({
  type: z.enum(['email.bounced', 'email.complained']),
  data: z.object({
    to: z.array(address),
    bounce: z.object({ type: z.string().optional(), message: z.string().optional() }).optional(),
    headers,
  }),
})
/** A report by the operator's own script. */
const own = z.object({
  type: z.enum(['bounced', 'complained']),
  address,
  permanent: z.boolean().optional(),
  message_id: z.string().max(300).optional(),
  detail: z.string().optional(),
})

/** Both are signed by Standard Webhooks, whose header has the `id`. */
export function signedEvents(value: unknown, id: string): MailEvent[] {
  const type = (value as { type?: unknown } | null)?.type
  if (typeof type !== 'string' || !type.startsWith('email.')) return ownEvents(value, id)
  if (type !== 'email.bounced' && type !== 'email.complained') return []
  const { data } = parsed(resend, value)
  const messageId = data.headers?.find(({ name }) => name.toLowerCase() === 'message-id')?.value ?? null
  return data.to.map((to) => {
    const event = { id: `${id} ${to}`, address: to, messageId, detail: data.bounce?.message ?? null }
    const cause = data.bounce?.type === 'Permanent' ? 'address' : 'temporary'
    return type === 'email.complained'
      ? { ...event, type: 'complained' }
      : { ...event, type: 'bounced', cause }
  })
}

function ownEvents(value: unknown, id: string): MailEvent[] {
  const { type, address, permanent, message_id, detail } = parsed(own, value)
  const event = { id, address, messageId: message_id ?? null, detail: detail ?? null }
  if (type === 'complained') return [{ ...event, type }]
  if (permanent === undefined)
    throw new HttpError(400, 'permanent: must be true or false', { field: 'permanent' })
  return [{ ...event, type, cause: permanent ? 'address' : 'temporary' }]
}

function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const { data, error } = schema.safeParse(value)
  if (data !== undefined) return data as z.output<Schema>
  const field = error?.issues[0]?.path.join('.')
  throw new HttpError(
    400,
    field ? `${field}: ${error?.issues[0]?.message}` : 'The body must be a JSON object',
    { field },
  )
}
