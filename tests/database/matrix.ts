// The policy matrix: the grants of each API role, and whom the policies and triggers then let through, stage by stage
// of one booking. It is compared with the catalogue by matrix.test.ts: a table, column or grant that is not here
// fails.
import { changeTables } from './matrix-changes.ts'
import { declared, otherwise, ownProfile, photoOfGrace, verifiedProfile } from './matrix-columns.ts'
import { pushTables } from './matrix-push.ts'
import { questionTables } from './matrix-questions.ts'
import type { Rules, Who } from './matrix-rules.ts'
import { savedTables } from './matrix-saved.ts'
import { scheduleTables } from './matrix-schedule.ts'
import { whereTables } from './matrix-where.ts'
import { cast } from './personas.ts'

const everyone = 'anonymous grace theo ada sam'
const id = (person: keyof typeof cast) => `'${cast[person]}'`
const task = '(select id from subject where name = $$task$$)'
const booking = '(select id from subject where name = $$booking$$)'

const choices = ['kind', 'bell', 'email', 'push']

const whileOpen = (value: string): [string, Who] => [value, { posted: 'grace', accepted: '' }]

/** Fields of a task, each with another value and the people who may write it. */
const taskWrites: Rules['writes'] = {
  title: whileOpen(`'Another title'`),
  description: whileOpen(`'Another description, long enough.'`),
  category: whileOpen(`'Moving'`),
  location: whileOpen(`'Regina'`),
  pay_amount: whileOpen('99'),
  scheduled_date: whileOpen(`now() + interval '9 days'`),
  duration_minutes: whileOpen('77'),
  tools_provided: whileOpen('not tools_provided'),
  tools_description: whileOpen(`'A blower'`),
  photos: whileOpen(`array['${photoOfGrace}']`),
  offers_allowed: whileOpen('not offers_allowed'),
  expense_limit: whileOpen('77'),
  repeats: whileOpen(`case when status = 'open' then null else '{}'::jsonb end`),
  status: [`'cancelled'`, { posted: 'grace', accepted: '' }],
}

export const matrix: Record<string, Rules> = {
  tasks: {
    anon: 'select',
    authenticated: {
      select: true,
      insert: ['id', 'task_giver_id', 'asked_tasker_id', ...Object.keys(taskWrites)],
      update: Object.keys(taskWrites),
    },
    row: `id = ${task}`,
    reads: { posted: everyone, accepted: 'grace theo ada' },
    writes: taskWrites,
    inserts: [
      {
        task_giver_id: id('grace'),
        title: `'Clear the walk'`,
        description: `'To the door, please, and salt it.'`,
        category: `'Snow Removal'`,
        location: `'Saskatoon'`,
        pay_amount: '30',
      },
      'grace',
    ],
  },
  ...whereTables,
  payments: {
    authenticated: { select: true, update: ['escrow_status', 'released_at'] },
    row: `booking_id = ${booking}`,
    reads: { posted: '', accepted: 'grace theo ada' },
    writes: {
      escrow_status: [`'released'`, { posted: '', completed: 'grace', complained: '' }],
      released_at: ['now()', ''],
    },
  },
  messages: {
    authenticated: {
      select: true,
      insert: ['id', 'booking_id', 'sender_id', 'receiver_id', 'message', 'photo'],
      update: ['status', 'read_at'],
    },
    row: `booking_id = ${booking} and sender_id = ${id('grace')}`,
    reads: { posted: '', accepted: 'grace theo' },
    writes: {
      status: [`'read'`, { posted: '', accepted: 'theo' }],
      read_at: ['now()', { posted: '', accepted: 'theo' }],
    },
    inserts: [
      { booking_id: booking, sender_id: id('theo'), receiver_id: id('grace'), message: `'Hello'` },
      { posted: '', accepted: 'theo' },
    ],
  },
  reviews: {
    anon: 'select',
    authenticated: {
      select: true,
      insert: ['booking_id', 'reviewer_id', 'reviewee_id', 'rating', 'comment', 'task_id'],
    },
    row: `booking_id = ${booking}`,
    reads: { posted: '', completed: 'grace ada' },
    inserts: [
      { booking_id: booking, reviewer_id: id('theo'), rating: '5' },
      { posted: '', completed: 'theo', complained: '' },
    ],
  },
  ...changeTables,
  ...savedTables,
  ...questionTables,
  ...scheduleTables,
  ...pushTables,
  complaints: {
    authenticated: {
      select: true,
      insert: ['booking_id', 'reason', 'photos'],
      update: ['answer', 'answer_photos'],
    },
    row: `booking_id = ${booking}`,
    reads: { posted: '', complained: 'grace theo ada' },
    writes: {
      answer: [`'I did all of it'`, { posted: '', complained: 'theo' }],
      answer_photos: [`array['${photoOfGrace}']`, ''],
    },
    inserts: [
      { booking_id: booking, reason: `'Half of it is still there.'` },
      { posted: '', completed: 'grace', complained: '' },
    ],
  },
  profiles: {
    authenticated: { select: true, update: [...ownProfile, ...verifiedProfile] },
    row: `id = ${id('theo')}`,
    reads: { posted: 'theo ada', accepted: 'theo ada grace' },
    writes: {
      full_name: [`'Theo Other'`, 'theo'],
      phone: [`'555'`, 'theo'],
      city: [`'Regina'`, 'theo'],
      bio: [`'Bio'`, 'theo'],
      avatar_url: [`'/a.png'`, 'theo'],
      last_active: ['now()', 'theo'],
      skills: [`'{a}'`, 'theo'],
      preferred_categories: [`'{Moving}'`, 'theo'],
      experience_years: ['3', 'theo'],
      hourly_rate: ['30', 'theo'],
      availability_status: [`'busy'`, 'theo'],
      language: [`'fr'`, 'theo'],
      visibility: [`'hidden'`, 'theo'],
      updated_at: ['now()', 'theo ada'],
      verified_by_admin: ['not verified_by_admin', 'ada'],
      verification_notes: [`'Notes'`, 'ada'],
      verified_at: ['now()', 'ada'],
      verified_by: [id('theo'), 'ada'],
    },
  },
  user_roles: { authenticated: { select: true }, row: `user_id = ${id('theo')}`, reads: 'theo ada' },
  verifications: {
    authenticated: {
      select: true,
      insert: ['user_id', ...declared, 'verification_status'],
      update: [
        ...declared,
        'verification_status',
        'id_verified',
        'background_check_status',
        'refusal_reason',
      ],
    },
    row: `user_id = ${id('theo')}`,
    reads: 'theo ada',
    writes: {
      // Submitted: nobody changes what was declared, until it is refused.
      ...Object.fromEntries(
        Object.entries(otherwise).map(([column, value]) => [column, [value, ''] as const]),
      ),
      verification_status: [`'verified', id_verified = true`, 'ada'],
      id_verified: ['true', 'ada'],
      background_check_status: [`'verified'`, 'ada'],
      refusal_reason: [`'Blurred'`, 'ada'],
    },
    inserts: [
      {
        user_id: `(select id from subject where name = $$newcomer$$)`,
        terms_accepted: 'true',
        privacy_accepted: 'true',
        legal_name: `'Nell'`,
        date_of_birth: `'1990-01-01'`,
        id_type: `'passport'`,
      },
      '',
    ],
  },
  notification_preferences: {
    authenticated: { select: true, insert: ['user_id', ...choices], update: choices },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    writes: {
      kind: [`'bookings'`, 'theo'],
      bell: ['false', 'theo'],
      email: ['false', 'theo'],
      push: ['false', 'theo'],
    },
    inserts: [{ user_id: id('theo'), kind: `'messages'`, email: 'false' }, 'theo'],
  },
  notifications: {
    authenticated: { select: true, update: ['read'] },
    row: `user_id = ${id('theo')} and key = 'verification_approved'`,
    reads: 'theo',
    writes: { read: ['true', 'theo'] },
  },
  payment_methods: {
    authenticated: {
      select: true,
      insert: [
        'user_id',
        'stripe_payment_method_id',
        'card_brand',
        'card_last4',
        'card_exp_month',
        'card_exp_year',
        'is_default',
      ],
      delete: true,
    },
    row: `user_id = ${id('grace')}`,
    reads: 'grace',
    inserts: [
      { user_id: id('grace'), stripe_payment_method_id: `'pm_second'`, card_last4: `'4242'` },
      'grace',
    ],
    deletes: 'grace',
  },
  payout_accounts: {
    authenticated: {
      select: true,
      insert: ['user_id', 'stripe_account_id', 'bank_last4', 'account_status', 'account_type', 'updated_at'],
      update: ['stripe_account_id', 'bank_last4', 'account_status', 'account_type', 'updated_at'],
    },
    row: `user_id = ${id('theo')}`,
    reads: 'theo',
    writes: {
      // The account and its kind are accepted as the specification's client sends them, and kept as they were.
      stripe_account_id: [`'acct_of_someone_else'`, 'theo'],
      account_type: [`'custom'`, 'theo'],
      bank_last4: [`'1111'`, 'theo'],
      account_status: [`'active'`, ''],
      updated_at: ['now()', 'theo'],
    },
    inserts: [{ user_id: id('sam'), stripe_account_id: `'x'`, bank_last4: `'1234'` }, 'sam'],
  },
  payouts: {
    authenticated: { select: true },
    row: `id = 'po_theo'`,
    reads: 'theo ada',
  },
  receipts: {
    authenticated: { select: true },
    row: `kind = 'receipt' and payment_id = (select id from public.payments where booking_id = ${booking})`,
    reads: { posted: '', completed: 'grace ada' },
  },
  ledger_entries: {
    authenticated: { select: true },
    row: `payment_id = (select id from public.payments where booking_id = ${booking})`,
    reads: { posted: '', completed: 'ada' },
  },
  disputes: {
    authenticated: { select: true },
    row: `payment_id = (select id from public.payments where booking_id = ${booking})`,
    reads: { posted: '', completed: 'ada' },
  },
  outside_refunds: {
    authenticated: { select: true },
    row: `payment_id = (select id from public.payments where booking_id = ${booking})`,
    reads: { posted: '', completed: 'ada' },
  },
  payment_failures: {
    authenticated: { select: true },
    row: `step = 'charge' and payment_id = (select id from public.payments where booking_id = ${booking})`,
    reads: { posted: '', completed: 'grace ada' },
  },
  stripe_events: {
    authenticated: { select: true },
    row: `id like 'evt_%'`,
    reads: { posted: '', completed: 'ada' },
  },
  reports: {
    authenticated: { select: true, unread: ['excerpt', 'decision_note', 'decided_by'] },
    row: `reporter_id = ${id('sam')}`,
    reads: 'sam ada',
  },
  suspensions: {
    authenticated: { select: true },
    row: `user_id = ${id('sam')}`,
    reads: 'sam ada',
  },
  data_exports: { authenticated: { select: true }, row: `user_id = ${id('sam')}`, reads: 'sam' },
  audit_log: { authenticated: { select: true }, row: `table_name = 'user_roles'`, reads: 'ada' },
  // Views
  public_profiles: {
    anon: 'select',
    authenticated: { select: true },
    row: `id = ${id('theo')}`,
    reads: { posted: 'theo ada', applied: 'grace theo ada' },
  },
  badges: {
    anon: 'select',
    authenticated: { select: true },
    row: `user_id = ${id('theo')}`,
    reads: { posted: 'theo ada', applied: 'grace theo ada' },
  },
  conversations: {
    authenticated: { select: true },
    row: `booking_id = ${booking}`,
    reads: { posted: '', accepted: 'grace theo', completed: '' },
  },
  chat_messages: {
    authenticated: { select: true },
    row: `booking_id = ${booking}`,
    reads: { posted: '', accepted: 'grace theo' },
  },
  unread_conversations: {
    authenticated: { select: true },
    row: `booking_id = ${booking}`,
    reads: { posted: '', accepted: 'theo' },
  },
}
