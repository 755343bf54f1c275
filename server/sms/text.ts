// A text message, before and after it is queued.

/** A text message; `to` is an international number without the plus, as auth.users stores it. */
export type Text = { to: string; body: string }

/** A message on its way; `id` stays the same through retries. */
export type QueuedText = Text & { id: string }
