// The mail server, where one is configured: functions that send mail themselves find it in their environment, as secrets of
// the same names give it to them on hosted Supabase.
import type { Config } from '@meadowlark/server/config/config.ts'
import type { Plugin } from '@meadowlark/server/plugin.ts'

export function mailServer({ smtp }: Pick<Config, 'smtp'>): Plugin {
  if (!smtp) return { name: 'mail-server' }
  return {
    name: 'mail-server',
    environment: () => ({
      SMTP_HOST: smtp.host,
      SMTP_PORT: String(smtp.port),
      SMTP_ADMIN_EMAIL: smtp.adminEmail,
      ...(smtp.senderName && { SMTP_SENDER_NAME: smtp.senderName }),
      ...(smtp.user && { SMTP_USER: smtp.user, SMTP_PASS: smtp.pass ?? '' }),
    }),
  }
}
