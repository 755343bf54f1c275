// Web push: the key pair by which push services know this server (VAPID, RFC 8292). Functions find it in their environment,
// as secrets of the same names give it to them on hosted Supabase; browsers get the public half from /config.json.
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Config } from '@meadowlark/server/config/config.ts'
import { ConfigError } from '@meadowlark/server/config/config-error.ts'
import type { PluginSettings } from '@meadowlark/server/config/plugin-settings.ts'
import { readSecretly, writeSecretly } from '@meadowlark/server/keys/keys.ts'
import type { Plugin } from '@meadowlark/server/plugin.ts'
import { z } from 'zod'

const KEY = /^[A-Za-z0-9_-]+$/

export const pushSettings: PluginSettings = {
  variables: {
    VAPID_PUBLIC_KEY: z.string().regex(KEY, 'must be in base64url').length(87).optional(),
    VAPID_PRIVATE_KEY: z.string().regex(KEY, 'must be in base64url').length(43).optional(),
    VAPID_SUBJECT: z
      .string()
      .regex(/^(mailto:|https:\/\/)/, 'must begin with mailto: or https://')
      .optional(),
    PUSH_SERVICES: z.string().optional(),
  },
}

type VapidKeys = { publicKey: string; privateKey: string }

/** The keys of the environment, else those of DATA_DIR, made at the first start. Throws a ConfigError for half a pair. */
export function pushPlugin({
  dataDir,
  pluginVariables,
}: Pick<Config, 'dataDir' | 'pluginVariables'>): Plugin {
  const given = (name: string) => (pluginVariables[name] as string | undefined) ?? ''
  const publicKey = given('VAPID_PUBLIC_KEY')
  const privateKey = given('VAPID_PRIVATE_KEY')
  if (Boolean(publicKey) !== Boolean(privateKey)) {
    const missing = publicKey ? 'VAPID_PRIVATE_KEY' : 'VAPID_PUBLIC_KEY'
    throw new ConfigError([`${missing}: is not set, but the other half of the pair is; set both or none`])
  }
  let known: VapidKeys | undefined = publicKey ? { publicKey, privateKey } : undefined
  // Not read before they are needed: the folder is there by then.
  const keys = () => {
    known ??= readOrMake(dataDir)
    return known
  }
  return {
    name: 'push',
    environment: () => ({
      VAPID_PUBLIC_KEY: keys().publicKey,
      VAPID_PRIVATE_KEY: keys().privateKey,
      VAPID_SUBJECT: given('VAPID_SUBJECT'),
      PUSH_SERVICES: given('PUSH_SERVICES'),
    }),
    shared: () => ({ VAPID_PUBLIC_KEY: keys().publicKey }),
    get configuration() {
      return { vapidPublicKey: keys().publicKey }
    },
  }
}

function readOrMake(dataDir: string): VapidKeys {
  const path = join(dataDir, 'vapid.json')
  if (existsSync(path)) {
    const stored = parsePair(readSecretly(path))
    if (stored) return stored
    throw new ConfigError([
      `DATA_DIR: ${path} is damaged. Restore it from a backup: with another pair every browser has to be subscribed anew`,
    ])
  }
  // At the first start alone: any other holds less memory without it.
  const webpush = createRequire(import.meta.url)('web-push') as typeof import('web-push')
  const keys = webpush.generateVAPIDKeys()
  writeSecretly(path, keys)
  return keys
}

/** Null for a file that is not JSON or lacks a half. */
function parsePair(text: string): VapidKeys | null {
  try {
    const { publicKey, privateKey } = JSON.parse(text) as VapidKeys
    return publicKey && privateKey ? { publicKey, privateKey } : null
  } catch {
    return null
  }
}
