// External services of a marketplace in production: a payment provider with Stripe's API, which is the sandbox of another
// server, and a mail server that keeps every message.
import { buffer } from 'node:stream/consumers'
import { sandboxStripeKeys } from '@meadowlark/stripe-sandbox/keys.ts'
import PostalMime from 'postal-mime'
import { SMTPServer } from 'smtp-server'
import { freePort } from '../../../packages/server/tests/support/free-port.ts'
import { type Project, startProject } from '../functions/project.ts'

export interface PaymentProvider {
  server: Project
  /** The variables of a server that is paid through it. */
  env: Record<string, string>
  /** Where functions find it: a line of supabase/functions/.env. */
  functionEnv: string
  stop(): Promise<void>
}

/** Starts it; its events go to the webhook of the server at `origin`. */
export async function startPaymentProvider(origin: string): Promise<PaymentProvider> {
  const server = await startProject(
    {
      'config.toml': '[functions.stripe-webhook]\nverify_jwt = false\n',
      // The signature is of the body as it is.
      'functions/stripe-webhook/handler.ts': `
        export default async function handler(request: Request): Promise<Response> {
          const { headers } = request
          const { status } = await fetch('${origin}/functions/v1/stripe-webhook', {
            method: 'POST',
            headers: {
              'content-type': headers.get('content-type') ?? '',
              'stripe-signature': headers.get('stripe-signature') ?? '',
            },
            body: await request.text(),
          })
          return new Response(null, { status })
        }`,
    },
    { STRIPE_SANDBOX: 'true' },
  )
  const keys = sandboxStripeKeys(server.secretKey)
  return {
    server,
    env: {
      STRIPE_SECRET_KEY: keys.secretKey,
      STRIPE_PUBLISHABLE_KEY: keys.publishableKey,
      STRIPE_WEBHOOK_SECRET: keys.webhookSecret,
    },
    functionEnv: `STRIPE_API_URL=${server.url}/sandbox/stripe\n`,
    stop: () => server.stop(),
  }
}

export interface MailServer {
  env: Record<string, string>
  /** The six digits of the last mail to that address; undefined until one has come. */
  codeFor(email: string): string | undefined
  stop(): void
}

/** Starts a mail server on this machine. */
export async function startMailServer(): Promise<MailServer> {
  const codes = new Map<string, string>()
  const port = await freePort()
  const smtp = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    closeTimeout: 200,
    onData(stream, { envelope }, done) {
      void readMail(stream).then((text) => {
        const code = /\b\d{6}\b/.exec(text)?.[0]
        for (const { address } of envelope.rcptTo) if (code) codes.set(address, code)
        done()
      })
    },
  })
  smtp.on('error', () => {})
  await new Promise<void>((resolve) => smtp.listen(port, '127.0.0.1', resolve))
  return {
    env: { SMTP_HOST: '127.0.0.1', SMTP_PORT: String(port), SMTP_ADMIN_EMAIL: 'ada@example.com' },
    codeFor: (email) => codes.get(email),
    stop: () => void smtp.close(),
  }
}

const readMail = async (stream: NodeJS.ReadableStream) =>
  (await PostalMime.parse(await buffer(stream))).text ?? ''
