// A text message, before and after it is queued.

/** How a message reaches the number. */
export type Channel = 'sms' | 'whatsapp'

/**
 * A text message; `kind` is what it is for, `to` an international number without the plus, as auth.users stores it. By
 * SMS unless it says.
 */
export type Text = { kind: string; to: string; body: string; channel?: Channel }

/** A message on its way; `id` stays the same through retries. */
export type QueuedText = Text & { id: string }
