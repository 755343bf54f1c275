// The type of an email, before and after it is queued.

/** An email to be sent. `kind` is its purpose, such as `recovery`; `text` is made from `html` when left out. */
export type Email = { kind: string; to: string; subject: string; html: string; text?: string }

/** An email on its way; `id` stays the same through retries, so that a repeated delivery can be recognised. */
export type QueuedEmail = Required<Email> & { id: string }
