// The kinds of tasks on the categories page, which people look for by other names than the eight categories. The twin of
// private.task_kinds() in supabase/schemas/task_search.sql.
import { type Category, categories } from './categories.ts'

/**
 * A task is of a kind when its category is one of `categories` or one of `words` occurs in its text; a new one goes
 * under `category`.
 */
export type TaskKind = {
  name: string
  category: Category
  categories: readonly Category[]
  words: readonly string[]
}

export const taskKinds = [
  { name: 'Snow Removal', category: 'Snow Removal', categories: ['Snow Removal'], words: [] },
  { name: 'Cleaning', category: 'Cleaning', categories: ['Cleaning'], words: [] },
  { name: 'Moving & Delivery', category: 'Moving', categories: ['Moving', 'Delivery'], words: [] },
  {
    name: 'Assembly',
    category: 'Handyman',
    categories: [],
    words: ['assembl', 'flat pack', 'flat-pack', 'ikea', 'put together'],
  },
  {
    name: 'Mounting & Installation',
    category: 'Handyman',
    categories: [],
    words: ['mounting', 'mount the', 'mount a', 'wall mount', 'install', 'hang the', 'hang a'],
  },
  {
    name: 'Outdoor Help',
    category: 'Gardening',
    categories: ['Gardening'],
    words: ['yard', 'lawn', 'gutter', 'firewood', 'hedge'],
  },
  { name: 'Home Repairs', category: 'Handyman', categories: ['Handyman'], words: ['repair', 'drywall'] },
  { name: 'Painting', category: 'Handyman', categories: [], words: ['paint'] },
  { name: 'Pet Care', category: 'Pet Care', categories: ['Pet Care'], words: [] },
  {
    name: 'Auto Services',
    category: 'Other',
    categories: [],
    words: ['winter tire', 'oil change', 'car wash', 'block heater', 'windshield', 'vehicle'],
  },
  {
    name: 'Tech Support',
    category: 'Other',
    categories: [],
    words: ['computer', 'laptop', 'printer', 'wi-fi', 'wifi', 'router'],
  },
  {
    name: 'Shopping & Errands',
    category: 'Delivery',
    categories: [],
    words: ['grocer', 'errand', 'shopping', 'prescription'],
  },
  { name: 'Meal Prep', category: 'Other', categories: [], words: ['meal', 'cook', 'supper', 'perogies'] },
  {
    name: 'Tutoring',
    category: 'Other',
    categories: [],
    words: ['tutor', 'homework', 'lesson', 'exam prep'],
  },
  { name: 'Photography', category: 'Other', categories: [], words: ['photo'] },
  {
    name: 'General Labor',
    category: 'Other',
    categories: [],
    words: ['labour', 'general labor', 'hauling', 'heavy lifting', 'digging'],
  },
] as const satisfies readonly TaskKind[]

export type TaskKindName = (typeof taskKinds)[number]['name']

/** The category for a new task of that category or kind; undefined for other names. */
export function categoryOf(name: string): Category | undefined {
  return taskKinds.find((kind) => kind.name === name)?.category ?? categories.find((known) => known === name)
}
