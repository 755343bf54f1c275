// Requesting one’s data export and fetching its files. Each rejects with the service’s error.
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'
import { latestExportKey } from './queries.ts'

export const requestExport = (userId: string): Action => ({
  invalidates: [latestExportKey(userId)],
  invalidatesOnError: true,
  run: async () => {
    await supabase.rpc('request_data_export').throwOnError()
  },
})

const ADDRESS_SECONDS = 60

/** Fetches one of its files; the browser saves it from an address that is valid for a minute. */
export const downloadExport: Action<{ file: string; part: number; parts: number }> = {
  run: async ({ file, part, parts }) => {
    const name = parts === 1 ? 'meadowlark-data.zip' : `meadowlark-data-${part}-of-${parts}.zip`
    const { data, error } = await supabase.storage
      .from('data-exports')
      .createSignedUrl(file, ADDRESS_SECONDS, { download: name })
    if (error) throw error
    const link = document.createElement('a')
    link.href = data.signedUrl
    link.download = name
    link.click()
  },
}
