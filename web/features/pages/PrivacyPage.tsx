// /privacy: the Privacy Policy (spec 000 §2).
import { useTranslation } from 'react-i18next'
import { legalTextsChanged } from '../../../marketplace.config.ts'
import { LegalText } from './LegalText.tsx'

const SECTIONS = [
  'collect',
  'use',
  'others',
  'positions',
  'calendars',
  'verification',
  'payments',
  'keep',
  'rights',
  'security',
  'cookies',
  'changes',
] as const

export default function PrivacyPage() {
  const { t } = useTranslation()
  return (
    <LegalText
      title={t('legal.privacy.title')}
      changed={legalTextsChanged.privacy}
      lead={t('legal.privacy.lead')}
      sections={SECTIONS.map((id) => ({
        id,
        title: t(`legal.privacy.${id}.title`),
        paragraphs: t(`legal.privacy.${id}.body`).split('\n'),
      }))}
    />
  )
}
