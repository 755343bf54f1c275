// A report that an e-mail could not be delivered, or that its reader marked it as spam, whoever sent it.

/**
 * What a bounce says. `address`: there is no such mailbox; `temporary`: it may work another time; `message`: the mail server
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
 * The cause that an enhanced status code stands for (RFC 3463): 5.1.x and 5.2.1 are about the address, except those of the
 * sender's (5.1.7, 5.1.8); a full mailbox (5.2.2) and problems of the network (5.4.x) may pass.
 */
export function causeOf(status: string): Cause {
  if (/^5\.(1\.(1|2|3|6|10)|2\.1)$/.test(status)) return 'address'
  return /^(4\.|5\.2\.2$|5\.4\.)/.test(status) ? 'temporary' : 'message'
}
