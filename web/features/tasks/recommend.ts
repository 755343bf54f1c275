// Which tasks suit a tasker (specification 001 §6): +10 for a preferred category, +5 for each of the tasker's
// skills found in the title or the description. Higher first.

export type Doer = { preferred_categories: string[]; skills: string[] }
type Scored = { title: string; description: string; category: string }

/** The task's score for this tasker, 0 when nothing matches. */
export function score(task: Scored, doer: Doer): number {
  const text = `${task.title}\n${task.description}`.toLowerCase()
  const skills = doer.skills.map((skill) => skill.trim().toLowerCase()).filter(Boolean)
  const found = skills.filter((skill) => text.includes(skill)).length
  return (doer.preferred_categories.includes(task.category) ? 10 : 0) + 5 * found
}

/** The tasks with their scores, higher first; equal ones keep their order. */
export function recommended<Task extends Scored>(tasks: Task[], doer: Doer): { task: Task; score: number }[] {
  return tasks.map((task) => ({ task, score: score(task, doer) })).sort((a, b) => b.score - a.score)
}
