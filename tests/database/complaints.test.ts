// Complaints: within 24 hours, by the giver; frozen money; an admin's decision, whose every kind the ledger survives.
import { describe, expect, it } from 'vitest'
import { fees } from '../../shared/fees.ts'
import { limits } from '../../shared/limits.ts'
import { cents } from '../../shared/money.ts'
import {
  type Booking,
  balances,
  bookingAt,
  paymentOf,
  refusal,
  release,
  settleWithProvider,
  tryInsert,
} from './lives.ts'
import { as, cast, databaseWithCast, owner } from './personas.ts'

const db = databaseWithCast()

const complain = (booking: Booking, person = 'grace', reason = 'Half of the drive is still white.') =>
  tryInsert(db, person, 'complaints', { booking_id: booking.id, reason })

/** A complaint that Theo has answered, or, unless `answered`, has not. */
async function complained(
  amount = 100,
  { answered = true } = {},
): Promise<{ booking: Booking; complaint: string }> {
  const booking = await bookingAt(db, 'completed', { amount })
  expect(await complain(booking)).toBe(null)
  const { rows } = await owner(db)('select id from public.complaints where booking_id = $1', [booking.id])
  if (answered) await answer(rows[0].id, 'theo', 'It snowed again at noon.')
  return { booking, complaint: rows[0].id }
}

const answer = (complaint: string, person: string, text: string | null) =>
  as(db, person)('update public.complaints set answer = $2 where id = $1', [complaint, text])

const decide = async (complaint: string, decision: string, returned: number | null = null, person = 'ada') =>
  (
    await as(db, person)(`select public.decide_complaint($1, $2, $3, 'Looked at the photos') as answer`, [
      complaint,
      decision,
      returned,
    ])
  ).rows[0].answer

const keysOf = async (person: keyof typeof cast) =>
  (await as(db, person)('select key from public.notifications order by created_at')).rows.map(
    (row) => row.key,
  )

describe('complaining', () => {
  it('is for the giver of a completed booking, within 24 hours, once', async () => {
    expect(await complain(await bookingAt(db, 'accepted'))).toBe(
      'Only a paid booking can be complained about',
    )
    expect(await complain(await bookingAt(db, 'in_progress'))).toBe(
      'A complaint is possible once the task is marked complete',
    )
    expect(await complain(await bookingAt(db, 'released'))).toBe('The payment was already settled')
    const booking = await bookingAt(db, 'completed')
    for (const person of ['theo', 'sam', 'ada']) {
      expect(await complain(booking, person)).toBe('Only the task giver can complain')
    }
    // An outsider gets the same answer for every booking, paid or not, existing or not.
    expect(await complain(await bookingAt(db, 'accepted'), 'sam')).toBe('Only the task giver can complain')
    expect(await complain({ ...booking, id: cast.sam }, 'sam')).toBe('Only the task giver can complain')
    expect(await complain(booking, 'grace', ' too short ')).toMatch(/at least 10 characters/)
    const age = (interval: string) =>
      owner(db)('update public.bookings set completed_at = now() - $2::interval where id = $1', [
        booking.id,
        interval,
      ])
    await age('24 hours')
    expect(await complain(booking)).toBe('A complaint is possible within 24 hours of completion')
    await age('23 hours 59 minutes')
    expect(await complain(booking)).toBe(null)
    expect(await complain(booking)).toBe('You have already complained about this booking')
  })

  it('freezes the money and notifies the other side', async () => {
    const { booking, complaint } = await complained()
    expect((await paymentOf(db, booking)).escrow_status).toBe('frozen')
    expect(await refusal(release(db, booking))).toBe('The payment is frozen until a complaint is decided')
    expect(await keysOf('theo')).toContain('complaint_opened')
    expect(await keysOf('ada')).toContain('complaint_to_decide')
    // It leads to where it is decided.
    const { rows } = await owner(db)(
      `select link from public.notifications where key = 'complaint_to_decide' order by created_at desc limit 1`,
    )
    expect(rows).toEqual([{ link: `/admin/complaints/${complaint}` }])
  })

  it('can be answered once by the tasker, and is read by the two and admins', async () => {
    const { complaint } = await complained(100, { answered: false })
    const account = 'It snowed again at noon.'
    for (const person of ['sam', 'grace', 'ada']) {
      expect((await answer(complaint, person, account)).rowCount).toBe(0)
    }
    const short = 'Please say what happened in at least 10 characters'
    for (const text of ['', ' no I did ', 'x'.repeat(limits.complaint.min - 1), '\u200b'.repeat(30)]) {
      expect(await refusal(answer(complaint, 'theo', text))).toBe(short)
    }
    expect(await refusal(answer(complaint, 'theo', 'x'.repeat(limits.complaint.max + 1)))).toBe(
      'Answer too long',
    )
    await answer(complaint, 'theo', ` ${account} `)
    expect(await refusal(answer(complaint, 'theo', 'And again at two.'))).toBe(
      'This complaint is already answered',
    )
    expect(await refusal(answer(complaint, 'theo', null))).toBe('This complaint is already answered')
    for (const person of ['grace', 'theo', 'ada']) {
      const { rows } = await as(db, person)('select answer from public.complaints where id = $1', [complaint])
      expect(rows[0].answer).toBe('It snowed again at noon.')
    }
    expect((await as(db, 'sam')('select from public.complaints')).rowCount).toBe(0)
    expect(await keysOf('grace')).toContain('complaint_answered')
  })

  it('and confirming at the same moment: one of the two', async () => {
    for (let round = 0; round < 6; round++) {
      const booking = await bookingAt(db, 'completed')
      const [said, released] = await Promise.all([
        complain(booking),
        release(db, booking).then(
          () => null,
          (error: Error) => error.message,
        ),
      ])
      const { escrow_status } = await paymentOf(db, booking)
      expect([said, released, escrow_status]).toEqual(
        escrow_status === 'frozen'
          ? [null, 'The payment is frozen until a complaint is decided', 'frozen']
          : ['The payment was already settled', null, 'released'],
      )
    }
  })
})

describe('deciding', () => {
  it('against the tasker waits for their answer, or 48 hours', async () => {
    const { complaint } = await complained(100, { answered: false })
    const early = 'The tasker has 48 hours to answer; until then only a release can be decided'
    expect(limits.complaint.answerHours).toBe(48)
    const age = (interval: string) =>
      owner(db)('update public.complaints set created_at = now() - $2::interval where id = $1', [
        complaint,
        interval,
      ])
    await age('47 hours 59 minutes')
    expect(await refusal(decide(complaint, 'refund'))).toBe(early)
    expect(await refusal(decide(complaint, 'split', 40))).toBe(early)
    await age('48 hours')
    await decide(complaint, 'split', 40)
    expect(await refusal(answer(complaint, 'theo', 'It snowed again at noon.'))).toBe(
      'This complaint is already decided',
    )
    const silent = await complained(100, { answered: false })
    await decide(silent.complaint, 'release')
    const { booking, complaint: answered } = await complained(100, { answered: false })
    await answer(answered, 'theo', 'It snowed again at noon.')
    await decide(answered, 'refund')
    expect((await paymentOf(db, booking)).escrow_status).toBe('refunded')
  })

  it('is for an admin who is neither of the two', async () => {
    const { complaint } = await complained()
    for (const person of ['grace', 'theo'] as const) {
      await owner(db)(`insert into public.user_roles (user_id, role) values ($1, 'admin')`, [cast[person]])
      expect(await refusal(decide(complaint, 'release', null, person))).toBe(
        'Another admin decides on a complaint about your own booking',
      )
      await owner(db)(`delete from public.user_roles where user_id = $1 and role = 'admin'`, [cast[person]])
    }
    await decide(complaint, 'release')
  })

  it('is for admins, once', async () => {
    const { complaint } = await complained()
    for (const person of ['grace', 'theo', 'sam']) {
      expect(await refusal(decide(complaint, 'release', null, person))).toBe(
        'Only admins can decide complaints',
      )
    }
    for (const returned of [null, 0, -1, 100, 100.01]) {
      expect(await refusal(decide(complaint, 'split', returned))).toMatch(/A split returns/)
    }
    await decide(complaint, 'release')
    expect(await refusal(decide(complaint, 'refund'))).toBe('This complaint is already decided')
  })

  it('a split is called one, with both sums, to both', async () => {
    const { complaint } = await complained(80)
    await decide(complaint, 'split', 20)
    const { rows } = await owner(db)(
      `select title, message from public.notifications where key like 'complaint_split%' order by created_at desc, key limit 2`,
    )
    expect(rows).toEqual([
      {
        title: 'Your complaint was decided: a split',
        message:
          'The payment for "Clear the driveway" is split: Theo Tasker gets $48.00, and $24.00 goes back to you.',
      },
      {
        title: 'A complaint was decided: a split',
        message:
          'The payment for "Clear the driveway" is split: $48.00 goes to you, and Grace Giver gets $24.00 back.',
      },
    ])
  })

  it('is decided as it was seen: what came since is read first', async () => {
    const { complaint } = await complained(80)
    const { rows } = await owner(db)(
      `select c.answered_at::text, p.lost_amount from public.complaints c join public.payments p on p.id = c.payment_id where c.id = $1`,
      [complaint],
    )
    const decideAs = (seen: object) =>
      as(db, 'ada')(`select public.decide_complaint($1, 'release', null, null, $2)`, [
        complaint,
        JSON.stringify(seen),
      ])
    const changed = 'This case has changed since you opened it. Please look at it again, then decide'
    expect(await refusal(decideAs({ ...rows[0], lost_amount: '1.00' }))).toBe(changed)
    expect(await refusal(decideAs({ ...rows[0], answered_at: '2026-01-01T00:00:00Z' }))).toBe(changed)
    await decideAs(rows[0])
    expect(await refusal(decideAs(rows[0]))).toBe('This complaint is already decided')
  })

  const ways: [string, number | null, number, string][] = [
    ['release', null, 0, 'released'],
    ['refund', null, 8000, 'refunded'],
    ['split', 20, 2000, 'refunded'],
    ['split', 33.33, 3333, 'refunded'],
    ['split', 79.99, 7999, 'refunded'],
  ]
  for (const [decision, returned, back, status] of ways) {
    it(`${decision} ${returned ?? ''} ends with the fee policy on what is left`, async () => {
      const { booking, complaint } = await complained(80)
      const whole = fees(cents(8000))
      const kept = fees(cents(8000 - back))
      expect(await decide(complaint, decision, returned)).toEqual({
        payout_cents: kept.payout,
        refund_cents: whole.total - kept.total,
      })
      expect(await paymentOf(db, booking)).toMatchObject({ escrow_status: status })
      await settleWithProvider(db, booking)
      const left: Record<string, number> = {
        provider: kept.total - kept.payout,
        platform_fees: -2 * kept.platformFee,
        gst: -2 * kept.gst,
      }
      expect(await balances(db, booking)).toEqual(
        Object.fromEntries(Object.entries(left).filter(([, cents]) => cents !== 0)),
      )
      const { rows } = await owner(db)('select status from public.tasks where id = $1', [booking.taskId])
      expect(rows[0].status).toBe('completed')
      const key = decision === 'split' ? 'complaint_split' : 'complaint_decided'
      expect(await keysOf('grace')).toContain(`${key}_giver`)
      expect(await keysOf('theo')).toContain(`${key}_tasker`)
    })
  }

  it('is found again by admins, with what waits apart from what is decided', async () => {
    const { complaint: waiting } = await complained()
    const { complaint: decided } = await complained()
    await decide(decided, 'split', 20)
    const find = async (query: string, isDecided: boolean, person = 'ada') =>
      (
        await as(db, person)(
          'select id, decided_by from public.find_complaints($1, $2, max_results => 100)',
          [query, isDecided],
        )
      ).rows.map((row) => row.id)
    for (const query of ['', 'driveway', 'GRACE theo', 'giver "clear the"']) {
      expect(await find(query, false)).toContain(waiting)
      expect((await find(query, true))[0]).toBe(decided)
    }
    expect(await find('', false)).not.toContain(decided)
    for (const query of ['sam', 'grace%theo', 'driveways']) expect(await find(query, false)).toEqual([])
    for (const isDecided of [false, true]) {
      // Page by page, each after the last row of the one before, comes what comes at once.
      const paged: string[] = []
      for (let after: { at: string; id: string } | undefined; ; ) {
        const { rows } = await as(db, 'ada')(
          `select id, coalesce(decided_at, created_at)::text as at from public.find_complaints('', $1, $2, $3, 1)`,
          [isDecided, after?.at ?? null, after?.id ?? null],
        )
        if (!rows[0]) break
        after = rows[0]
        paged.push(rows[0].id)
      }
      expect(paged).toEqual(await find('', isDecided))
      expect(paged.length).toBeGreaterThan(1)
    }
    for (const person of ['grace', 'theo', 'sam']) {
      expect(await refusal(find('', false, person))).toBe('Only admins can look through complaints')
    }
  })

  it('leaves a trace that admins read', async () => {
    const { rows } = await as(db, 'ada')(
      `select old_values, new_values from public.audit_log
       where table_name = 'complaints' and action = 'update' and actor_id = $1 order by at desc limit 1`,
      [cast.ada],
    )
    expect(rows[0].old_values).toMatchObject({ decision: null })
    expect(rows[0].new_values).toMatchObject({ decision: 'split', decided_by: cast.ada })
    for (const person of ['grace', 'theo', 'sam']) {
      expect((await as(db, person)('select from public.audit_log')).rowCount).toBe(0)
    }
    for (const change of ['update public.audit_log set actor_id = null', 'delete from public.audit_log']) {
      expect(await refusal(owner(db)(change))).toBe('The audit log is append-only')
    }
  })
})
