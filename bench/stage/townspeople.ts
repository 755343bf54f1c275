// Actions of the town's people, one at a time, as the app makes them. Pairs of a giver and a tasker get one job after
// the other done (post, apply, accept, pay, complete, release, review) and browse, read and chat meanwhile.
import { randomUUID } from 'node:crypto'
import { ask, type Person, type Town } from './ask.ts'

type Step = 'post' | 'apply' | 'accept' | 'pay' | 'complete' | 'release' | 'review'

export const STEPS: readonly Step[] = ['post', 'apply', 'accept', 'pay', 'complete', 'release', 'review']
const OF_TASKER: ReadonlySet<Step> = new Set(['apply', 'complete'])
/** How often somebody whose turn it is goes on with the job instead of looking around. */
const GOES_ON = 0.15

const LIST = `/rest/v1/tasks?${new URLSearchParams({
  select:
    'id,task_giver_id,title,description,category,location,pay_amount,status,scheduled_date,photos,created_at,giver:public_profiles!task_giver_id(id,full_name,rating,avatar_url,total_reviews,bio,is_verified)',
  status: 'eq.open',
  order: 'created_at.desc,id',
  limit: '24',
})}`

/** Actions other than jobs, in percent. */
const LOOKS = [
  ['browse', 45],
  ['read a task', 27],
  ['bookings', 10],
  ['unread', 10],
  ['read a chat', 8],
] as const

function anyLook(): (typeof LOOKS)[number][0] {
  let left = Math.random() * 100
  for (const [kind, often] of LOOKS) {
    left -= often
    if (left < 0) return kind
  }
  return 'browse'
}

/** A giver and a tasker. */
export class Pair {
  private readonly town: Town
  readonly giver: Person
  readonly tasker: Person
  private at = 0
  private task = ''
  private booking = ''
  private seen = ''

  constructor(town: Town, giver: Person, tasker: Person) {
    this.town = town
    this.giver = giver
    this.tasker = tasker
  }

  /** One of the two does one thing. Never rejects. */
  async act(who: 'giver' | 'tasker'): Promise<void> {
    const step = STEPS[this.at] as Step
    const isTurn = OF_TASKER.has(step) === (who === 'tasker')
    if (isTurn && Math.random() < GOES_ON) await this.goOn(step)
    else if (this.at > 3 && Math.random() < 0.06) await this.write(who)
    else await this.look(this[who])
  }

  /** The booking whose chat the two have open; null before the work was given away. */
  get chat(): string | null {
    return this.at > 2 ? this.booking : null
  }

  /** The giver does this one thing, for what it costs by itself. */
  async once(kind: (typeof LOOKS)[number][0] | Step | 'write a message'): Promise<void> {
    if (kind === 'write a message') return this.write('giver')
    if (STEPS.includes(kind as Step)) await this.done(kind as Step)
    else await this.look(this.giver, kind as (typeof LOOKS)[number][0])
  }

  private async look(person: Person, kind = anyLook()): Promise<void> {
    const about = this.booking || this.giver.id
    if (kind === 'browse') {
      const rows = (await ask(this.town, person, kind, LIST)) as { id: string }[] | null
      this.seen = rows?.[Math.floor(Math.random() * rows.length)]?.id ?? this.seen
    } else if (kind === 'read a task' && this.seen)
      await ask(this.town, person, kind, `${LIST.replace('status=eq.open', `id=eq.${this.seen}`)}`)
    else if (kind === 'read a chat' && this.booking)
      await ask(
        this.town,
        person,
        kind,
        `/rest/v1/messages?booking_id=eq.${about}&order=created_at.desc&limit=50`,
      )
    else if (kind === 'unread')
      await ask(
        this.town,
        person,
        kind,
        `/rest/v1/messages?select=id&receiver_id=eq.${person.id}&read_at=is.null`,
      )
    else
      await ask(
        this.town,
        person,
        'bookings',
        `/rest/v1/bookings?or=(task_giver_id.eq.${person.id},task_doer_id.eq.${person.id})&order=created_at.desc&limit=20`,
      )
  }

  private async write(who: 'giver' | 'tasker'): Promise<void> {
    const [from, to] = who === 'giver' ? [this.giver, this.tasker] : [this.tasker, this.giver]
    await ask(this.town, from, 'write a message', '/rest/v1/messages?on_conflict=id', {
      id: randomUUID(),
      booking_id: this.booking,
      sender_id: from.id,
      receiver_id: to.id,
      message: 'On my way, ten minutes.',
    })
  }

  private async goOn(step: Step): Promise<void> {
    if (await this.done(step)) this.at = (this.at + 1) % STEPS.length
  }

  /** Whether the step was taken. */
  private async done(step: Step): Promise<boolean> {
    const { giver, tasker, task, booking } = this
    if (step === 'post') {
      this.task = randomUUID()
      return this.changed(giver, step, 'POST', '/rest/v1/tasks', {
        id: this.task,
        task_giver_id: giver.id,
        title: 'Clear the driveway',
        category: 'Snow Removal',
        description: 'Two cars wide, and the walk to the door.',
        location: 'Saskatoon',
        pay_amount: 100,
        status: 'open',
      })
    }
    if (step === 'apply') {
      this.booking = randomUUID()
      return this.changed(tasker, step, 'POST', '/rest/v1/bookings', {
        id: this.booking,
        task_id: task,
        task_doer_id: tasker.id,
        message: 'I have a blower.',
        status: 'pending',
      })
    }
    if (step === 'pay') return this.pay()
    if (step === 'review')
      return this.changed(giver, step, 'POST', '/rest/v1/reviews', {
        booking_id: booking,
        reviewer_id: giver.id,
        rating: 5,
        comment: 'On time, and tidy.',
      })
    if (step === 'release')
      return this.changed(giver, step, 'PATCH', `/rest/v1/payments?booking_id=eq.${booking}`, {
        escrow_status: 'released',
      })
    const status = step === 'accept' ? 'accepted' : 'completed'
    const by = step === 'accept' ? giver : tasker
    const notes = step === 'accept' ? {} : { completion_notes: 'Done, and salted.' }
    return this.changed(by, step, 'PATCH', `/rest/v1/bookings?id=eq.${booking}`, { status, ...notes })
  }

  private async pay(): Promise<boolean> {
    const { giver, booking, town } = this
    const begun = (await ask(this.town, giver, 'pay', '/functions/v1/create-payment-intent', {
      bookingId: booking,
    })) as { clientSecret?: string } | null
    const stripe = (await ask(this.town, giver, 'pay', '/functions/v1/get-stripe-config', {})) as {
      publishableKey?: string
    } | null
    if (!begun?.clientSecret || !stripe?.publishableKey) return false
    const [intent] = begun.clientSecret.split('_secret_')
    const form = new URLSearchParams({ client_secret: begun.clientSecret, payment_method: 'pm_card_visa' })
    // The stand-in's own time is nobody's figure.
    await fetch(`http://127.0.0.1:${town.port}/sandbox/stripe/v1/payment_intents/${intent}/confirm`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stripe.publishableKey}` },
      body: form,
    }).then((response) => response.arrayBuffer())
    const held = `/rest/v1/payments?select=escrow_status&escrow_status=eq.held&booking_id=eq.${booking}`
    for (let look = 0; look < 40; look++) {
      const rows = (await ask(this.town, giver, 'see the payment', held)) as unknown[] | null
      if (rows?.length) return true
      await new Promise((resolve) => setTimeout(resolve, 250))
    }
    return false
  }

  private async changed(by: Person, kind: string, method: string, path: string, body: object) {
    return (await ask(this.town, by, kind, path, body, method)) !== null
  }
}
