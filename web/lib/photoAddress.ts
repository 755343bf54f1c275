// Where public photos are found, for pages that read them without the client library.
import { config } from './config.ts'

/** The name of a photo's small copy. */
export const smallName = (name: string) => name.replace(/\.jpg$/, '.small.jpg')

/** The address of a photo that everyone may open, small for a card. */
export function publicPhoto(name: string, { small = false } = {}): string {
  return `${config.supabaseUrl}/storage/v1/object/public/task-photos/${small ? smallName(name) : name}`
}
