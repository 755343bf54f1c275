// The row of `profiles` that its own person reads.
import type { useMyProfile } from '../../lib/queries/profile.ts'

export type OwnProfile = NonNullable<ReturnType<typeof useMyProfile>['data']>
