// /terms: the Terms of Service (spec 000 §2).
import { useTranslation } from 'react-i18next'
import { legalTextsChanged } from '../../../marketplace.config.ts'
import { GST_PERCENT, PLATFORM_FEE_PERCENT } from '../../../shared/fees.ts'
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
  const figures = { fee: PLATFORM_FEE_PERCENT, gst: GST_PERCENT }
  return (
    <LegalText
      title={t('legal.terms.title')}
      changed={legalTextsChanged.terms}
      lead={t('legal.terms.lead')}
      sections={SECTIONS.map((id) => ({
        id,
        title: t(`legal.terms.${id}.title`),
        paragraphs: t(`legal.terms.${id}.body`, figures).split('\n'),
      }))}
    />
  )
}
