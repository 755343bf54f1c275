// Saving and removing one's travel area. Of a position, the database stores the area of about a kilometre.
import { travelAreaKey } from '../../../lib/queries/travelArea.ts'
import { supabase } from '../../../lib/supabase.ts'
import type { Action } from '../../../ui/useAction.ts'

/** `place_id` is null for a position of the device. */
export type AreaDraft = { place_id: string | null; latitude: number; longitude: number; radius_km: number }

/** `isNew`: the person has none yet. */
export const saveTravelArea = (userId: string, isNew: boolean): Action<AreaDraft> => ({
  invalidates: [travelAreaKey(userId), ['tasks']],
  run: async (area) => {
    const areas = supabase.from('travel_areas')
    const saved = isNew
      ? areas.insert({ user_id: userId, ...area })
      : areas.update(area).eq('user_id', userId)
    await saved.select('user_id').single().throwOnError()
  },
})

export const removeTravelArea = (userId: string): Action => ({
  invalidates: [travelAreaKey(userId), ['tasks']],
  run: async () => {
    await supabase.from('travel_areas').delete().eq('user_id', userId).throwOnError()
  },
})
