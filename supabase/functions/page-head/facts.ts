// The database's facts about a page (supabase/schemas/public_pages.sql), as a stranger may read them.

/** `public.task_head`; the amount in dollars. */
export type TaskFacts = {
  id: string
  title: string
  description: string
  category: string
  location: string
  pay_amount: number
  scheduled_date: string | null
  /** Its first photo's name in the bucket task-photos. */
  photo: string | null
  created_at: string
  updated_at: string
}

/** `public.person_head`. */
export type PersonFacts = {
  id: string
  full_name: string
  bio: string | null
  city: string | null
  avatar_url: string | null
  skills: string[] | null
  rating: number
  total_reviews: number
  role: 'task_giver' | 'task_doer'
  /** Whether Find Taskers shows them: only then search engines keep the page. */
  listed: boolean
}
