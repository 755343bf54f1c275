/** `params` are the names that the call gives; `call` is its file and text. */
export type RaisedError = { code: string; params: string[]; status: number; call: string }
export function errorsRaised(): RaisedError[]
/** Places in supabase/schemas that raise an exception without a code. */
export function plainRaises(): string[]
