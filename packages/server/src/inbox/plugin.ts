// The inbox as a plugin: it keeps mail and text messages where no mail server or carrier is configured. Never in production.
import type { Config } from '../config/config.ts'
import { packageFile } from '../package-root.ts'
import type { Plugin } from '../plugin.ts'
import { inboxRoutes } from './inbox.ts'
import { keepEmail, keepText } from './messages.ts'
import { type InboxServer, inboxServer } from './smtp.ts'

export const inboxSchema: Plugin = { name: 'inbox', schema: [packageFile('src/inbox/schema.sql')] }

/** Which messages the inbox keeps. */
export function inboxParts({ production, smtp, carrier }: Pick<Config, 'production' | 'smtp' | 'carrier'>): {
  mail: boolean
  sms: boolean
} {
  return { mail: !production && !smtp, sms: !production && !carrier }
}

/** The tables are there outside of production, whichever messages are kept. */
export function inboxPlugin(config: Pick<Config, 'production' | 'smtp' | 'carrier'>): Plugin {
  const { mail, sms } = inboxParts(config)
  let smtp: InboxServer | undefined
  return {
    name: 'inbox',
    schema: config.production ? [] : inboxSchema.schema,
    paths: ['/sandbox'],
    inbox: { ...(mail ? { email: keepEmail } : {}), ...(sms ? { text: keepText } : {}) },
    mount(context) {
      if (mail) smtp = inboxServer(context)
      const routes = inboxRoutes(context.database)
      return mail || sms ? [{ name: 'inbox', mount: '/sandbox', cors: null, routes }] : []
    },
    environment: () => smtp?.environment() ?? {},
    stop: async () => smtp?.stop(),
  }
}
