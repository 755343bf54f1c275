// Reports that mail servers send by e-mail: delivery status notifications (RFC 3464) and complaints in the Abuse Reporting
// Format (RFC 5965). Anybody can send such an e-mail, so record_mail_event must be called with `must_name_email`.
import PostalMime, { type Attachment, type Email } from 'postal-mime'
import { HttpError } from '../_shared/respond.ts'
import { causeOf, isSpamReport, type MailEvent } from './event.ts'

/** The bounces and the complaint of such an e-mail; HttpError 400 when it is neither. */
export async function reportedEvents(source: ArrayBuffer): Promise<MailEvent[]> {
  const email = await PostalMime.parse(source, { attachmentEncoding: 'utf8', forceRfc822Attachments: true })
  const status = part(email, 'message/delivery-status', 'message/global-delivery-status')
  const feedback = part(email, 'message/feedback-report')
  if (status === null && feedback === null) {
    throw new HttpError(
      400,
      'The e-mail must be a delivery status notification (RFC 3464) or a complaint (RFC 5965)',
    )
  }
  const original = fields(
    part(email, 'message/rfc822', 'text/rfc822-headers', 'message/global', 'message/global-headers') ?? '',
  )
  const messageId = original.get('message-id') ?? null
  const id = (about: string) => `report ${email.messageId ?? email.date ?? ''} ${messageId ?? ''} ${about}`
  if (feedback !== null) return complaint(fields(feedback), original, messageId, id)
  // The first block is about the message, each further one about a recipient.
  return (status ?? '')
    .split(/\r?\n\r?\n/)
    .map(fields)
    .flatMap((block): MailEvent[] => {
      const address = recipient(block.get('original-recipient') ?? block.get('final-recipient'))
      if (!address || block.get('action')?.toLowerCase() !== 'failed') return []
      const code = block.get('status')?.split(/\s/)[0] ?? ''
      const detail = block.get('diagnostic-code')?.replaceAll(address, '[recipient]') ?? null
      return [{ type: 'bounced', id: id(address), address, messageId, detail, cause: causeOf(code) }]
    })
}

/** Some mailbox providers leave out or hide the recipient: then the To header of the original says it, where that is there. */
function complaint(
  report: Map<string, string>,
  original: Map<string, string>,
  messageId: string | null,
  id: (about: string) => string,
): MailEvent[] {
  const address = recipient(report.get('original-rcpt-to') ?? original.get('to'))
  if (!address || !isSpamReport(report.get('feedback-type'))) return []
  return [{ type: 'complained', id: id(address), address, messageId, detail: null }]
}

function part({ attachments }: Email, ...types: string[]): string | null {
  const found: Attachment | undefined = attachments.find(({ mimeType }) =>
    types.includes(mimeType.toLowerCase()),
  )
  return typeof found?.content === 'string' ? found.content : null
}

/** The header fields up to the first empty line, unfolded, by name in small letters; the first of each name counts. */
function fields(text: string): Map<string, string> {
  const [head = ''] = text.replace(/^(\r?\n)+/, '').split(/\r?\n\r?\n/)
  const lines = head.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  return new Map(
    lines
      .flatMap((line) => {
        const [, name = '', value = ''] = /^([^:\s]+):\s*(.*)$/.exec(line) ?? []
        return name ? [[name.toLowerCase(), value.trim()] as const] : []
      })
      .reverse(),
  )
}

/** The address in `rfc822; theo@example.com` or `Theo <theo@example.com>`. */
function recipient(value: string | undefined): string | null {
  return /[^\s<>;,"]+@[^\s<>;,"]+/.exec(value ?? '')?.[0] ?? null
}
