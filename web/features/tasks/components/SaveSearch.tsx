// Saves the search that is shown, so that new tasks that match it alert the person. Loaded once there is something to save.
import { useQuery } from '@tanstack/react-query'
import { BellPlus, BellRing } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { errorText } from '../../../lib/errorText.ts'
import { paths } from '../../../lib/paths.ts'
import { useUserId } from '../../../lib/session.tsx'
import { Button } from '../../../ui/Button.tsx'
import { classes } from '../../../ui/classes.ts'
import { Dialog } from '../../../ui/Dialog.tsx'
import { holdsFocus } from '../../../ui/focusKeeper.ts'
import { Link } from '../../../ui/Link.tsx'
import { RadioCards } from '../../../ui/RadioCards.tsx'
import { toast } from '../../../ui/Toaster.tsx'
import { useAction } from '../../../ui/useAction.ts'
import { isSavedAs, type Pace, savedSearchesQuery, saveSearch } from '../api/savedSearches.ts'
import { centreOf, nearOf, type Search } from '../browsing.ts'
import { useCentreText } from '../useCentreText.ts'
import { SearchSummary } from './SearchSummary.tsx'

type SaveSearchProps = {
  search: Search
  /** The point as the address names it. */
  near: string
  /** On a phone, the button has a name but no visible text. */
  isShort: boolean
  /** Called with the point as it was saved, if it is another one: the list then shows what alerts. */
  onSaved: (near: string) => void
}

const SHORT = 'max-sm:size-9 max-sm:px-0'

export default function SaveSearch({ search, near, isShort, onSaved }: SaveSearchProps) {
  const { t } = useTranslation()
  const [open, setOpen] = useState(false)
  const saved = useQuery(savedSearchesQuery(useUserId()))
  const label = classes(isShort && 'max-sm:sr-only')
  const isSaved = saved.data?.some((one) => isSavedAs(search, one))
  if (isSaved)
    return (
      <div {...holdsFocus('saved-search')}>
        <Button asChild variant="secondary" size="sm" className={classes(isShort && SHORT)}>
          <Link to={paths.savedSearches}>
            <BellRing aria-hidden />
            <span className={label}>{t('savedSearches.saved')}</span>
          </Link>
        </Button>
      </div>
    )
  return (
    <div {...holdsFocus('saved-search')}>
      <Button
        variant="secondary"
        size="sm"
        className={classes(isShort && SHORT)}
        aria-haspopup="dialog"
        onClick={() => setOpen(true)}
      >
        <BellPlus aria-hidden />
        <span className={label}>{t('savedSearches.save')}</span>
      </Button>
      {open && <SaveDialog search={search} near={near} onSaved={onSaved} onClose={() => setOpen(false)} />}
    </div>
  )
}

function SaveDialog({
  search,
  near,
  onSaved,
  onClose,
}: Omit<SaveSearchProps, 'isShort'> & { onClose: () => void }) {
  const { t } = useTranslation()
  const userId = useUserId()
  const navigate = useNavigate()
  const [pace, setPace] = useState<Pace>('at_once')
  const place = useCentreText(near)
  const saving = useAction(saveSearch(userId, search), {
    onSuccess: (saved) => {
      onClose()
      if (nearOf(saved) !== nearOf(search)) onSaved(nearOf(saved))
      toast.success(t('savedSearches.saved'), {
        action: { label: t('savedSearches.title'), onClick: () => navigate(paths.savedSearches) },
      })
    },
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="sm"
      title={t('savedSearches.save')}
      description={t('savedSearches.lead')}
      problem={saving.error && errorText(saving.error)}
      footer={
        <>
          <Button variant="secondary" onClick={onClose}>
            {t('ui.cancel')}
          </Button>
          <Button type="submit" form="save-search" loading={saving.isPending}>
            {t('savedSearches.confirm')}
          </Button>
        </>
      }
    >
      <form
        id="save-search"
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault()
          saving.mutate(pace)
        }}
      >
        <div>
          <SearchSummary search={search} place={place} />
          {search.radius_km !== null && centreOf(near)?.kind === 'device' && (
            <p className="text-sm text-ink-soft">{t('near.travel.reason')}</p>
          )}
        </div>
        <RadioCards
          legend={t('savedSearches.pace')}
          options={[
            { value: 'at_once', title: t('savedSearches.atOnce'), hint: t('savedSearches.atOnceHint') },
            { value: 'daily', title: t('savedSearches.daily'), hint: t('savedSearches.dailyHint') },
          ]}
          name="pace"
          value={pace}
          onChange={(event) => setPace(event.target.value as Pace)}
        />
      </form>
    </Dialog>
  )
}
