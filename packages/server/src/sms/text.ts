// The type of a text message, before and after it is queued.

/** How a message reaches the number. */
export type Channel = 'sms' | 'whatsapp'

/**
 * A text message; `kind` is its purpose, `to` an international number without the plus, as auth.users stores it.
 * Sent by SMS unless `channel` is given.
 */
export type Text = { kind: string; to: string; body: string; channel?: Channel }

/** A message on its way; `id` stays the same through retries. */
export type QueuedText = Text & { id: string }
