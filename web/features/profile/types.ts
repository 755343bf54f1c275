// What the profile screens know of people: one's own row, and what anyone may see.
import type { Database } from '../../lib/database.types.ts'
import type { useMyProfile } from '../../lib/queries/profile.ts'

export type OwnProfile = NonNullable<ReturnType<typeof useMyProfile>['data']>

type PublicRow = Database['public']['Views']['public_profiles']['Row']
type Optional = 'avatar_url' | 'bio' | 'city' | 'experience_years' | 'hourly_rate' | 'role'

/** A view's columns all count as nullable; in the table below it only these are. */
export type PublicProfile = Pick<PublicRow, Optional> & {
  [Column in Exclude<keyof PublicRow, Optional>]: NonNullable<PublicRow[Column]>
}
