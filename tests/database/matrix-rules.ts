// How the policy matrix is written: who may do what with a table, stage by stage of one booking.

/** Stages of the one booking between Grace and Theo, in order. */
export const stages = ['posted', 'applied', 'accepted', 'completed', 'complained'] as const
export type Stage = (typeof stages)[number]

/** Names of the cast, separated by spaces; '' is nobody. Stages left out are like the one before them. */
export type Who = string | Partial<Record<Stage, string>>

export interface Rules {
  /** Rights of the role `anon`: every column or nothing. */
  anon?: 'select'
  /** Privileges of the role `authenticated`: on every column, or on those named. */
  authenticated: {
    select?: true
    /** Columns that `select` leaves out: only functions for administrators read them. */
    unread?: string[]
    insert?: string[]
    update?: string[]
    delete?: true
  }
  /** Picks the row that the stages are about. */
  row: string
  reads: Who
  /** For each column granted for update: a new value (an SQL expression) and who may write it. */
  writes?: Record<string, readonly [value: string, who: Who]>
  /** A row and who may insert exactly this row. */
  inserts?: [row: Record<string, string>, who: Who]
  deletes?: Who
}

/** People who are allowed at a stage. */
export function allowedAt(who: Who | undefined, stage: Stage): string[] {
  if (who === undefined) return []
  if (typeof who === 'string') return who.split(' ').filter(Boolean)
  const known = stages.slice(0, stages.indexOf(stage) + 1).filter((earlier) => who[earlier] !== undefined)
  return (who[known.at(-1) ?? 'posted'] ?? '').split(' ').filter(Boolean)
}
