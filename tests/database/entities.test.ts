// The entities of both specification documents (§3 of each): every field they name is there under its name, optional
// where they say so, with the values and defaults they give.
import { describe, expect, it } from 'vitest'
import { as, cast, databaseWithCast, owner, signUp } from './personas.ts'

const db = databaseWithCast()

const entities: Record<string, string> = {
  profiles: `id full_name email phone avatar_url bio skills rating total_reviews completed_tasks hourly_rate created_at
    verified_by_admin verification_notes verified_at verified_by response_rate on_time_rate trust_score
    preferred_categories experience_years availability_status verification_level last_active updated_at`,
  user_roles: 'user_id role',
  verifications: `user_id terms_accepted terms_accepted_at privacy_accepted privacy_accepted_at age_verified legal_name
    date_of_birth id_type background_check_consent has_insurance insurance_provider insurance_policy_number
    insurance_expiry_date skills certifications sin_provided verification_status id_verified background_check_status`,
  notifications: 'id user_id title message link read created_at',
  messages: 'id booking_id sender_id receiver_id message status read_at created_at',
  bookings: 'id task_id task_doer_id message status created_at',
  tasks: `id task_giver_id title description category location pay_amount scheduled_date tools_provided tools_description
    status created_at`,
  payments: 'booking_id task_id escrow_status released_at',
  reviews: 'id rating comment created_at reviewer_id reviewee_id task_id',
  payment_methods: `id user_id stripe_payment_method_id card_brand card_last4 card_exp_month card_exp_year is_default
    created_at`,
  payout_accounts: 'user_id stripe_account_id bank_last4 account_status account_type updated_at',
  public_profiles: 'id full_name rating avatar_url total_reviews bio',
  conversations: `booking_id other_id other_name other_avatar_url task_title last_message last_message_at unread_count`,
}
const optional = `tasks.scheduled_date tasks.tools_description bookings.message notifications.link messages.read_at
  profiles.phone profiles.hourly_rate payments.released_at verifications.insurance_provider
  verifications.insurance_policy_number verifications.insurance_expiry_date`
const values: Record<string, string> = {
  app_role: 'task_giver task_doer admin',
  task_status: 'open completed',
  booking_status: 'pending accepted in_progress completed rejected',
  escrow_status: 'held released',
  availability_status: 'available busy unavailable',
  verification_status: 'pending verified',
  account_status: 'active pending',
  message_status: 'sent read',
}

const words = (text: string) => text.split(/\s+/)

describe('the specification’s entities', () => {
  it.each(Object.entries(entities))('%s', async (table, fields) => {
    const { rows } = await owner(db)(
      `select column_name as name, is_nullable = 'YES' as optional from information_schema.columns
       where table_schema = 'public' and table_name = $1`,
      [table],
    )
    const columns = new Map(rows.map((row) => [row.name, row.optional]))
    expect(words(fields).filter((field) => !columns.has(field))).toEqual([])
    const named = words(optional).filter((field) => field.startsWith(`${table}.`))
    expect(named.filter((field) => !columns.get(field.split('.')[1]))).toEqual([])
  })

  it.each(Object.entries(values))('%s has its values', async (type, names) => {
    const { rows } = await owner(db)('select enumlabel from pg_enum where enumtypid = $1::regtype', [
      `public.${type}`,
    ])
    expect(rows.map((row) => row.enumlabel)).toEqual(expect.arrayContaining(words(names)))
  })

  it('nothing stores a social insurance number', async () => {
    const { rows } = await owner(db)(
      `select table_name || '.' || column_name as column, data_type from information_schema.columns
       where table_schema in ('public', 'private') and column_name ~ '(^|_)(sin|ssn|social)(_|$)'`,
    )
    expect(rows).toEqual([{ column: 'verifications.sin_provided', data_type: 'boolean' }])
  })

  it('a new profile has the defaults', async () => {
    const { rows } = await as(db, 'theo')(
      `select rating::float8, total_reviews, completed_tasks, response_rate, on_time_rate, trust_score, verified_by_admin,
         availability_status, skills, preferred_categories from public.profiles where id = $1`,
      [cast.theo],
    )
    expect(rows[0]).toEqual({
      rating: 0,
      total_reviews: 0,
      completed_tasks: 0,
      response_rate: 100,
      on_time_rate: 100,
      trust_score: 50,
      verified_by_admin: false,
      availability_status: 'available',
      skills: [],
      preferred_categories: [],
    })
  })

  it('a person with several roles is shown as admin before task doer before task giver', async () => {
    const many = await signUp(db, { name: 'Mina Many', role: 'task_giver' })
    const shown = async () =>
      (await as(db, 'ada')('select role from public.public_profiles where id = $1', [many])).rows[0].role
    const seen = [await shown()]
    for (const role of ['task_doer', 'admin']) {
      await owner(db)('insert into public.user_roles (user_id, role) values ($1, $2)', [many, role])
      seen.push(await shown())
    }
    await owner(db)(`delete from public.user_roles where user_id = $1 and role = 'admin'`, [many])
    expect([...seen, await shown()]).toEqual(['task_giver', 'task_doer', 'admin', 'task_doer'])
  })
})
