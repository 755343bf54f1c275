export function statesOf(comment: string): {
  meaning: string
  steps: { from: string[]; to: string; when: string }[]
}
export function plainCondition(sql: string): string
