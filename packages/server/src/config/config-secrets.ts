// The secrets among the settings, which no log and no answer may show.

import type { Config } from './config.ts'
import { SECRET_NAME } from './redact.ts'

/** Every secret of the configuration, for what must not print them. */
export function secretsOf(config: Config): (string | null | undefined)[] {
  const { databaseUrl, jwt, smtp, carrier, s3, backup, metricsToken, db, functionSecrets, pluginVariables } =
    config
  const { hook, captcha, external, saml } = config.auth
  const named = Object.entries({ ...functionSecrets, ...pluginVariables, ...carrier }).filter(([name]) =>
    SECRET_NAME.test(name),
  )
  return [
    ...[databaseUrl, config.directUrl, config.replicaUrl].map(
      (url) => url && decodeURIComponent(new URL(url).password),
    ),
    ...[config.vaultKey, jwt.secret, jwt.keys, jwt.serviceRoleKey, smtp?.pass, captcha.secret],
    ...Object.values(hook).flatMap(({ secrets }) => secrets),
    ...[
      s3?.credentials?.secretAccessKey,
      backup?.s3?.credentials?.secretAccessKey,
      metricsToken,
      saml.private_key,
      ...(config.tracing?.secrets ?? []),
    ],
    ...Object.values(external).map(({ secret }) => secret),
    ...[...Object.values(db.vault), ...named.map(([, value]) => (typeof value === 'string' ? value : null))],
  ]
}
