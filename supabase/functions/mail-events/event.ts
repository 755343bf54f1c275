// A bounce or a complaint, in one form for all mail providers.

/**
 * The reason for a bounce. `address`: there is no such mailbox; `temporary`: a later try may work; `message`: the mail server
 * did not want this message or its sender.
 */
export type Cause = 'address' | 'temporary' | 'message'

/** `id` is the same when the report comes again. `messageId` is the Message-ID header of the e-mail, null when not known. */
export type MailEvent = {
  id: string
  address: string
  messageId: string | null
  /** The mail server's words. */
  detail: string | null
} & ({ type: 'bounced'; cause: Cause } | { type: 'complained' })

/**
 * The cause of a bounce by its enhanced status code (RFC 3463). 5.1.x and 5.2.1 are about the address, except 5.1.7 and 5.1.8,
 * which are about the sender's. A full mailbox (5.2.2) and network problems (5.4.x) may pass.
 */
export function causeOf(status: string): Cause {
  if (/^5\.(1\.(1|2|3|6|10)|2\.1)$/.test(status)) return 'address'
  return /^(4\.|5\.2\.2$|5\.4\.)/.test(status) ? 'temporary' : 'message'
}

/**
 * Whether a feedback type means that the reader marked the e-mail as spam; it may be missing. The other types are about viruses
 * or fraud, or take a complaint back (`not-spam`).
 */
export function isSpamReport(feedbackType: string | null | undefined): boolean {
  return !feedbackType || feedbackType.toLowerCase() === 'abuse'
}
