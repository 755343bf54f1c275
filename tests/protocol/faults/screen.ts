// A job in somebody's open app, kept current as web/lib/live.ts does it: read again after an event, and when
// listening has begun, for the first time or again. Nobody else ever tells it to look.
import { setTimeout as sleep } from 'node:timers/promises'
import type { RealtimeChannel, SupabaseClient } from '@supabase/supabase-js'

export interface Screen {
  /** The current screen. */
  readonly shown: string
  end(): Promise<unknown>
}

const ROWS = { bookings: 'id', payments: 'booking_id', messages: 'booking_id' }

/** The same as this superuser's query says: the booking, its money, how many messages. */
export const SHOWN = `select concat_ws(' ',
  (select status from public.bookings where id = $1),
  (select concat_ws(' ', escrow_status, payout_status, refund_status) from public.payments where booking_id = $1),
  (select count(*) from public.messages where booking_id = $1)) as shown`

export function openScreen(person: SupabaseClient, booking: string): Screen {
  let shown = ''
  let asked = 0
  let reading = false
  let open = true

  async function read(): Promise<string> {
    const [{ data: work }, { data: money }, { count }] = await Promise.all([
      person.from('bookings').select('status').eq('id', booking).maybeSingle().throwOnError(),
      person
        .from('payments')
        .select('escrow_status, payout_status, refund_status')
        .eq('booking_id', booking)
        .maybeSingle()
        .throwOnError(),
      person
        .from('messages')
        .select('id', { count: 'exact', head: true })
        .eq('booking_id', booking)
        .throwOnError(),
    ])
    const parts = [work?.status, money?.escrow_status, money?.payout_status, money?.refund_status, count]
    return parts.filter((part) => part !== undefined && part !== null).join(' ')
  }

  async function refresh(): Promise<void> {
    asked++
    if (reading) return
    reading = true
    for (let done = -1; open && done !== asked; ) {
      const now = asked
      try {
        shown = await read()
        done = now
      } catch {
        await sleep(100)
      }
    }
    reading = false
  }

  let channel: RealtimeChannel
  function join() {
    channel = person.channel(`job:${booking}`)
    for (const [table, column] of Object.entries(ROWS)) {
      const rows = { event: '*', schema: 'public', table, filter: `${column}=eq.${booking}` } as const
      channel.on('postgres_changes', rows, () => void refresh())
    }
    channel.subscribe(async (status) => {
      if (status === 'SUBSCRIBED') void refresh()
      // Its token has expired where clocks are set ahead.
      if (status !== 'CLOSED' || !open) return
      await sleep(1000)
      await person.realtime.setAuth()
      if (open) join()
    })
  }
  join()
  return {
    get shown() {
      return shown
    },
    end() {
      open = false
      return person.removeChannel(channel)
    },
  }
}
