// A plugin adds to the server what Supabase has no service for: replacements of third parties, keys of real ones, and
// extensions that the embedded database lacks.

import type { Finding } from './doctor/finding.ts'
import type { Service } from './http/route.ts'
import type { PolicySources } from './http/security-headers.ts'
import type { QueuedEmail } from './mail/email.ts'
import type { Measurement } from './observability/metrics/measurements.ts'
import type { Services } from './service-dependencies.ts'
import type { QueuedText } from './sms/text.ts'
import type { Queryable } from './sql/queryable.ts'

export type PluginContext = Services & {
  /** Where this machine reaches the server, known only after listening. */
  origin: () => string
  /** Whether the project has a function of that name. */
  hasFunction: (name: string) => Promise<boolean>
}

export interface Plugin {
  name: string
  /** SQL files (absolute paths) laid with the platform's own, before the project's migrations. */
  schema?: readonly string[]
  /** Folder of extensions that the embedded database is to know: <name>.control and <name>--<version>.sql. */
  extensions?: string
  /** Its route tables; also where it registers its jobs, before they start. */
  mount?(context: PluginContext): Service[]
  /** Begins what it does without being asked, once the server listens; that is stopped before the services are. */
  start?(services: Services): { stop(): Promise<void> }
  /** Paths below which nothing is a page of the web app. */
  paths?: readonly string[]
  /** Environment variables of functions, in addition to Supabase's. */
  environment?(context: Pick<PluginContext, 'keys' | 'origin'>): Record<string, string>
  /** Pages of the web app whose head a function of the project fills in: its name by the page's path (Route). */
  pagesByFunction?: Readonly<Record<string, string>>
  /** Files of the web app that a function of the project makes: its name by their path (Route). */
  filesByFunction?: Readonly<Record<string, string>>
  /** Sources other than their own origin that pages of the web app may use. */
  pageSources?: PolicySources
  /** Gauges on /metrics. */
  measurements?: readonly Measurement[]
  /** Additional fields of /config.json. */
  configuration?: Record<string, unknown>
  /** Settings that all servers of one database need alike, by name. */
  shared?(): Record<string, string>
  /** Takes emails, or text messages, where nothing real is configured for them. */
  inbox?: { email?: InboxOf<QueuedEmail>; text?: InboxOf<QueuedText> }
  /** Findings of the command doctor about the plugin's third party. Never rejects. */
  examine?(): Promise<Finding[]>
  /** Ends what `mount` began. */
  stop?(): Promise<void>
  /** Warnings for the operator. */
  warnings?(context: PluginContext): Promise<string[]>
}

/** Keeps a message, once however often it is called for the same one. */
type InboxOf<Message> = (client: Queryable, message: Message) => Promise<void>
