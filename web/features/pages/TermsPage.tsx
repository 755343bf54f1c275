// /terms: the Terms of Service (spec 000 §2).
import { useTranslation } from 'react-i18next'
import { legalTextsChanged } from '../../../marketplace.config.ts'
import { LegalText } from './LegalText.tsx'

const SECTIONS = [
  'who',
  'account',
  'tasks',
  'payments',
  'cancel',
  'disputes',
  'conduct',
  'relationship',
  'liability',
  'ending',
  'law',
] as const

export default function TermsPage() {
  const { t } = useTranslation()
  return (
    <LegalText
      title={t('legal.terms.title')}
      changed={legalTextsChanged.terms}
      lead={t('legal.terms.lead')}
      sections={SECTIONS.map((id) => ({
        id,
        title: t(`legal.terms.${id}.title`),
        paragraphs: t(`legal.terms.${id}.body`).split('\n'),
      }))}
    />
  )
}
