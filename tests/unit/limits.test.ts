// Limits in the app's texts equal those in the server's configuration.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { RESEND_AFTER_SECONDS } from '../../shared/limits.ts'

test('the wait between two e-mails is that of supabase/config.toml', () => {
  const config = readFileSync(new URL('../../supabase/config.toml', import.meta.url), 'utf8')
  expect(config).toContain(`max_frequency = "${RESEND_AFTER_SECONDS}s"`)
})
