// Traffic of a town other than jobs: listening windows, photos, withdrawn offers, favourites, read marks, sessions
// and whole accounts, each created and ended as the app does it.
import { randomBytes, randomUUID } from 'node:crypto'
import WebSocket from 'ws'
import { ask, type Person, type Town } from './ask.ts'
import { anyTime, pause } from './open-town.ts'
import type { Pair } from './townspeople.ts'

const PASSWORD = 'Meadowlark1'
/** Seconds that somebody leaves the app's window open, and until they open it again, on average. */
const OPEN = 40
const CLOSED = 20

export type Regular = { email: string; address: string }

type Session = { access_token: string; refresh_token: string; user: { id: string } }

export class ComingsAndGoings {
  private readonly town: Town
  /** Windows that are open now: connections that the server holds for us. */
  windows = 0
  accounts = 0
  private readonly nobody: Person

  constructor(town: Town) {
    this.town = town
    this.nobody = { id: '', token: town.publishableKey, address: '13.0.0.1' }
  }

  /** Opens the app, listens to one's own rows and to the chat, closes it, and so on until the end. Never rejects. */
  async window(pair: Pair, who: 'giver' | 'tasker', end: number): Promise<void> {
    while (performance.now() < end) {
      await pause(anyTime(CLOSED), end)
      if (performance.now() < end) await this.listen(pair[who], pair.chat, Math.min(anyTime(OPEN), 120), end)
    }
  }

  /** A window that was open for so many seconds; every other one is closed without a word, as by a phone that lost its network. */
  private async listen(person: Person, chat: string | null, seconds: number, end: number): Promise<void> {
    const { port, publishableKey, onAnswer } = this.town
    const since = performance.now()
    const url = `ws://127.0.0.1:${port}/realtime/v1/websocket?apikey=${publishableKey}&vsn=2.0.0`
    const socket = new WebSocket(url, {
      perMessageDeflate: false,
      headers: { 'x-forwarded-for': person.address },
    })
    this.windows++
    let failure: string | null = null
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    socket.on('error', (error) => {
      failure ??= error.message
    })
    const heard = new Promise<void>((resolve) => {
      let missing = chat ? 2 : 1
      socket.on('message', (data) => {
        const [, , topic, event, payload] = JSON.parse(String(data))
        if (event === 'phx_reply' && payload.status !== 'ok') failure ??= String(data)
        const isJoined = topic.includes(':person:') ? event === 'system' : event === 'phx_reply'
        if (isJoined && payload.status !== 'ok') failure ??= String(data)
        if ((isJoined && --missing === 0) || failure) resolve()
      })
      void closed.then(resolve)
    })
    socket.once('open', () => {
      const join = (topic: string, config: object) =>
        socket.send(
          JSON.stringify([
            topic,
            '1',
            `realtime:${topic}`,
            'phx_join',
            { config, access_token: person.token },
          ]),
        )
      const rows = [
        ['messages', `receiver_id=eq.${person.id}`],
        ['notifications', `user_id=eq.${person.id}`],
      ].map(([table, filter]) => ({ event: '*', schema: 'public', table, filter }))
      join(`person:${person.id}:1`, { postgres_changes: rows })
      if (chat) join(`chat:${chat}`, { private: true, presence: { key: person.id } })
    })
    const late = setTimeout(() => {
      failure ??= 'not joined within 30 s'
      socket.terminate()
    }, 30_000)
    await heard
    clearTimeout(late)
    onAnswer('open a window', performance.now() - since, failure)
    if (!failure) {
      if (chat)
        socket.send(
          JSON.stringify([
            `chat:${chat}`,
            '2',
            `realtime:chat:${chat}`,
            'presence',
            { type: 'presence', event: 'track', payload: {} },
          ]),
        )
      const beat = setInterval(
        () => socket.send(JSON.stringify([null, '9', 'phoenix', 'heartbeat', {}])),
        25_000,
      )
      await Promise.race([pause(seconds, end), closed])
      clearInterval(beat)
    }
    if (Math.random() < 0.5) socket.terminate()
    else socket.close()
    await closed
    this.windows--
  }

  /** A photo of oneself: put up, looked at, taken down again. */
  async photo(person: Person): Promise<void> {
    const name = await this.upload(person)
    await ask(this.town, person, 'look at a photo', `/storage/v1/object/public/profile-photos/${name}`)
    await ask(
      this.town,
      person,
      'take down a photo',
      '/storage/v1/object/profile-photos',
      { prefixes: [name] },
      'DELETE',
    )
  }

  private async upload(person: Person): Promise<string> {
    const name = `${person.id}/${randomUUID()}.jpg`
    const start = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')
    const photo = Buffer.concat([start, randomBytes(20_000 + Math.floor(Math.random() * 180_000))])
    await ask(this.town, person, 'put up a photo', `/storage/v1/object/profile-photos/${name}`, photo)
    return name
  }

  /** An offer that is withdrawn before anybody applied. */
  async withdrawn(giver: Person): Promise<void> {
    const id = await this.post(giver)
    await ask(
      this.town,
      giver,
      'withdraw a task',
      `/rest/v1/tasks?id=eq.${id}`,
      { status: 'cancelled' },
      'PATCH',
    )
  }

  private async post(giver: Person): Promise<string> {
    const id = randomUUID()
    await ask(this.town, giver, 'post', '/rest/v1/tasks', {
      id,
      task_giver_id: giver.id,
      title: 'Rake the leaves',
      category: 'Gardening',
      status: 'open',
      description: 'Front and back, into bags.',
      location: 'Regina',
      pay_amount: 60,
    })
    return id
  }

  /** A tasker is kept as a favourite, and let go again. */
  async favourite(giver: Person, tasker: Person): Promise<void> {
    await ask(this.town, giver, 'keep a favourite', '/rest/v1/favourites', { tasker_id: tasker.id })
    const kept = `/rest/v1/favourites?user_id=eq.${giver.id}&tasker_id=eq.${tasker.id}`
    await ask(this.town, giver, 'let a favourite go', kept, undefined, 'DELETE')
  }

  /** All notifications and messages of somebody are read. */
  async read(person: Person): Promise<void> {
    const notices = `/rest/v1/notifications?user_id=eq.${person.id}`
    await ask(this.town, person, 'see notifications', `${notices}&order=created_at.desc&limit=20`)
    await ask(this.town, person, 'read notifications', `${notices}&read=is.false`, { read: true }, 'PATCH')
    const messages = `/rest/v1/messages?receiver_id=eq.${person.id}&read_at=is.null`
    const read = { status: 'read', read_at: new Date().toISOString() }
    await ask(this.town, person, 'read messages', messages, read, 'PATCH')
  }

  /** An account for those who come again and again. */
  async regular(nth: number): Promise<Regular> {
    const regular = { email: `regular+${nth}@example.com`, address: `14.0.0.${nth}` }
    await this.account(regular, 'task_giver')
    return regular
  }

  /** A session: begun, refreshed twice, and ended, one in four by nobody. */
  async session(regular: Regular): Promise<void> {
    const session = await this.signIn(regular)
    if (!session) return
    const { town } = this
    let person = { id: session.user.id, token: session.access_token, address: regular.address }
    await ask(town, person, 'who am I', '/auth/v1/user')
    let { refresh_token } = session
    for (let nth = 0; nth < 2; nth++) {
      const again = (await ask(
        town,
        { ...this.nobody, address: regular.address },
        'refresh',
        '/auth/v1/token?grant_type=refresh_token',
        {
          refresh_token,
        },
      )) as Session | null
      if (!again) return
      refresh_token = again.refresh_token
      person = { ...person, token: again.access_token }
    }
    if (Math.random() < 0.75)
      await ask(town, person, 'sign out', '/auth/v1/logout?scope=local', undefined, 'POST')
  }

  private signIn({ email, address }: Regular): Promise<Session | null> {
    const by = { ...this.nobody, address }
    return ask(this.town, by, 'sign in', '/auth/v1/token?grant_type=password', {
      email,
      password: PASSWORD,
    }) as Promise<Session | null>
  }

  private async account({ email, address }: Regular, role: 'task_giver' | 'task_doer'): Promise<void> {
    const by = { id: '', token: this.town.secretKey, address }
    await ask(
      this.town,
      by,
      'make an account',
      '/auth/v1/admin/users',
      {
        email,
        password: PASSWORD,
        email_confirm: true,
        user_metadata: { full_name: 'Person of a day', role },
      },
      'POST',
    )
  }

  /** An account's whole life: made, used (a photo, an offer, an application, a window), and deleted by its person. */
  async life(others: Pair, end: number): Promise<void> {
    const nth = this.accounts++
    const address = `15.${(nth >> 16) & 255}.${(nth >> 8) & 255}.${nth & 255}`
    const regular = { email: `passing+${nth}@example.com`, address }
    const role = nth % 2 === 0 ? 'task_giver' : 'task_doer'
    await this.account(regular, role)
    const session = await this.signIn(regular)
    if (!session) return
    const person = { id: session.user.id, token: session.access_token, address }
    await this.upload(person)
    if (role === 'task_giver') {
      await this.post(person)
      await ask(this.town, person, 'keep a favourite', '/rest/v1/favourites', { tasker_id: others.tasker.id })
    } else {
      const task = await this.post(others.giver)
      await ask(this.town, person, 'apply', '/rest/v1/bookings', {
        id: randomUUID(),
        task_id: task,
        task_doer_id: person.id,
        message: 'I have a rake.',
        status: 'pending',
      })
    }
    await this.listen(person, null, 5, end)
    await ask(this.town, person, 'delete an account', '/rest/v1/rpc/delete_account', {
      confirmation: regular.email,
    })
  }
}
