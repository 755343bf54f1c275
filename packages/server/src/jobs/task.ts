// A task of the job queue.

/** Context of a task, in addition to its payload: `signal` aborts when the server stops. */
type TaskContext = { attempt: number; lastAttempt: boolean; signal: AbortSignal }

/** A task does its effect and returns; whatever it throws makes the job run again later. Must bear repeats. */
export type TaskHandler<Payload = unknown> = (payload: Payload, context: TaskContext) => Promise<void>
