// An e-mail, before and after it is queued.

/** What is to be sent. `kind` is what it is for, such as `recovery`; `text` is made from `html` when left out. */
export type Email = { kind: string; to: string; subject: string; html: string; text?: string }

/** An email on its way; `id` stays the same through retries, so that a repeated delivery can be told. */
export type QueuedEmail = Required<Email> & { id: string }
