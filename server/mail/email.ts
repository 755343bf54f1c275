// An e-mail, before and after it is queued.

/** What is to be sent. `kind` is what it is for, such as `recovery`; `text` is made from `html` when left out. */
export type Letter = { kind: string; to: string; subject: string; html: string; text?: string }

/** A letter on its way; `id` stays the same through retries, so that a repeated delivery can be told. */
export type QueuedLetter = Required<Letter> & { id: string }
