// The frame of a legal text: contents next to it on wide screens, numbered sections, and the contact address.
import { useTranslation } from 'react-i18next'
import { contactEmail } from '../../../marketplace.config.ts'
import { formatMonth } from '../../lib/format.ts'
import { Page, PageHeader } from '../../ui/Page.tsx'

export type LegalSection = { id: string; title: string; paragraphs: string[] }

export function LegalText({
  title,
  changed,
  lead,
  sections,
}: {
  title: string
  /** The day of its last change, '2026-11-21'. */
  changed: string
  lead: string
  sections: LegalSection[]
}) {
  const { t } = useTranslation()
  return (
    <Page>
      <PageHeader title={title} subtitle={t('legal.updated', { month: formatMonth(changed, 'long') })} />
      <div className="grid gap-x-16 gap-y-10 lg:grid-cols-[16rem_1fr]">
        <nav aria-label={t('legal.contents')} className="lg:sticky lg:top-24 lg:self-start">
          <ol className="border-s border-line">
            {sections.map((section, index) => (
              <li key={section.id}>
                <a
                  href={`#${section.id}`}
                  className="block py-1.5 ps-4 text-ink-soft hover:text-ink hover:underline underline-offset-4"
                >
                  {`${index + 1}. ${section.title}`}
                </a>
              </li>
            ))}
          </ol>
        </nav>
        <div className="max-w-prose">
          <p className="text-lg">{lead}</p>
          {sections.map((section, index) => (
            <section key={section.id} aria-labelledby={section.id} className="mt-10">
              <h2 id={section.id} className="text-2xl">
                {`${index + 1}. ${section.title}`}
              </h2>
              {section.paragraphs.map((paragraph) => (
                <p key={paragraph} className="mt-3 text-ink-soft">
                  {paragraph}
                </p>
              ))}
            </section>
          ))}
          <p className="mt-10 border-t border-line pt-6">
            <span>{t('legal.contact')}</span>{' '}
            <a href={`mailto:${contactEmail}`} className="font-semibold text-sky underline">
              {contactEmail}
            </a>
          </p>
        </div>
      </div>
    </Page>
  )
}
