// People who ask without end, while a test does something to the database: whatever they are refused fails the test.
import { eventually } from './eventually.ts'

export interface Load {
  /** Resolves once each kind of request was answered again, for more of them than were under way. */
  allAnswered(): Promise<void>
}

/**
 * Has `people` at a time make each kind of request, with names that nothing else has, for as long as `work` takes.
 * Rejects with the first answer that is no success. `onAnswered` is called for each answer.
 */
export async function underLoad(
  requests: Record<string, (name: string) => Promise<Response>>,
  people: number,
  onAnswered: (what: string, name: string) => void,
  work: (load: Load) => Promise<void>,
): Promise<void> {
  const answers = new Map<string, number>()
  let running = true
  const asking = Object.entries(requests).flatMap(([what, ask]) =>
    Array.from({ length: people }, async () => {
      while (running) {
        const name = crypto.randomUUID()
        const response = await ask(name)
        const text = await response.text()
        if (!response.ok) throw new Error(`${what}: ${response.status} ${text}`)
        answers.set(what, (answers.get(what) ?? 0) + 1)
        onAnswered(what, name)
      }
    }),
  )
  const failed = Promise.all(asking)
  const allAnswered = async () => {
    const before = new Map(answers)
    const goesOn = (what: string) => (answers.get(what) ?? 0) > (before.get(what) ?? 0) + people
    await Promise.race([failed, eventually(() => Object.keys(requests).every(goesOn))])
  }
  try {
    await allAnswered()
    await work({ allAnswered })
  } finally {
    running = false
    await failed
  }
}
