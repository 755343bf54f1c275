// A list of skills one adds to and takes from; an empty or repeated one is not added (specification 001 §5).
import { Plus, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { limits } from '../../../../shared/limits.ts'
import { Button } from '../../../ui/Button.tsx'
import { Input } from '../../../ui/Input.tsx'
import { isEnter } from '../../../ui/keys.ts'

export function SkillsInput({
  skills,
  onChange,
}: {
  skills: string[]
  onChange: (skills: string[]) => void
}) {
  const { t } = useTranslation()
  const [entry, setEntry] = useState('')

  const add = () => {
    const skill = entry.trim()
    const known = skills.some((held) => held.toLowerCase() === skill.toLowerCase())
    if (skill && !known && skills.length < limits.skills.count) onChange([...skills, skill])
    setEntry('')
  }

  return (
    <div className="flex flex-col gap-3">
      <div className="flex gap-2">
        <Input
          value={entry}
          maxLength={limits.skills.length}
          onChange={(event) => setEntry(event.target.value)}
          onKeyDown={(event) => {
            if (!isEnter(event)) return
            event.preventDefault()
            add()
          }}
        />
        <Button variant="secondary" onClick={add}>
          <Plus aria-hidden />
          <span>{t('profile.addSkill')}</span>
        </Button>
      </div>
      {skills.length === 0 ? (
        <p className="text-sm text-ink-faint">{t('profile.noSkills')}</p>
      ) : (
        <ul className="flex flex-wrap gap-2">
          {skills.map((skill) => (
            <li key={skill} className="flex min-w-0 items-center rounded-full bg-sunken ps-3 font-medium">
              <span className="min-w-0 wrap-anywhere">{skill}</span>
              <button
                type="button"
                aria-label={t('profile.removeSkill', { skill })}
                onClick={() => onChange(skills.filter((held) => held !== skill))}
                className="grid size-9 place-items-center rounded-full text-ink-soft hover:text-ink"
              >
                <X aria-hidden className="size-4" />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
