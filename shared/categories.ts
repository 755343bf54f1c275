// The kinds of tasks (specification 001 §9), in the order in which they are shown.
import { rules } from './rules.ts'

export const { categories } = rules

export type Category = (typeof categories)[number]
