// The foot of every screen: four columns, social accounts, the line about where we are from.
import { Fragment, memo, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { contactEmail, placeSources, social } from '../../marketplace.config.ts'
import type { Network } from '../../shared/marketplace.ts'
import { browsePath, paths } from '../lib/paths.ts'
import { Logo } from './Header.tsx'
import { SocialIcon } from './SocialIcon.tsx'

const LINK_CLASSES =
  'inline-block py-1 max-sm:text-sm sm:py-1.5 text-ink-soft hover:text-ink hover:underline underline-offset-4'

/** The same on every screen: only another language draws it again. */
export const Footer = memo(function Footer() {
  const { t } = useTranslation()
  return (
    <footer className="mt-16 border-t border-line bg-sunken/60">
      <div className="measure grid grid-cols-[3fr_4fr] gap-x-4 gap-y-6 pt-8 pb-6 sm:grid-cols-2 sm:gap-y-10 sm:py-12 sm:gap-x-8 lg:grid-cols-[1.4fr_repeat(4,1fr)]">
        <div className="col-span-2 flex items-center justify-between sm:block lg:col-span-1">
          <Logo />
          {/* On a phone the bird and the accounts share a line, and the links come sooner. */}
          <p className="mt-3 max-w-64 text-ink-soft max-sm:hidden">{t('layout.footer.tagline')}</p>
          <ul className="flex shrink-0 gap-1 max-sm:-me-2.5 sm:-ms-2.5 sm:mt-4">
            {Object.entries(social).map(([network, url]) => (
              <li key={network}>
                <a
                  href={url}
                  target="_blank"
                  rel="noreferrer"
                  aria-label={t('layout.footer.social', { network })}
                  className="grid size-10 place-items-center rounded-md text-ink-soft hover:bg-sunken hover:text-ink"
                >
                  <SocialIcon network={network as Network} />
                </a>
              </li>
            ))}
          </ul>
        </div>
        <Column title={t('layout.footer.company')}>
          <FootLink to={paths.howItWorks}>{t('layout.footer.howItWorks')}</FootLink>
          <FootLink to={paths.becomeTasker}>{t('layout.nav.becomeTasker')}</FootLink>
          <FootLink to={paths.install}>{t('layout.footer.install')}</FootLink>
        </Column>
        <Column title={t('layout.footer.browse')}>
          <FootLink to={paths.browse}>{t('layout.nav.browse')}</FootLink>
          <FootLink to={paths.findTaskers}>{t('layout.nav.findTaskers')}</FootLink>
          <FootLink to={paths.categories}>{t('layout.footer.categories')}</FootLink>
          <FootLink to={browsePath({ category: 'Snow Removal' })}>{t('layout.footer.snow')}</FootLink>
        </Column>
        <Column title={t('layout.footer.support')}>
          <FootLink to={paths.faq}>{t('layout.footer.help')}</FootLink>
          <li>
            <a href={`mailto:${contactEmail}`} className={LINK_CLASSES}>
              {t('layout.footer.contact')}
            </a>
          </li>
        </Column>
        <Column title={t('layout.footer.legal')}>
          <FootLink to={paths.terms}>{t('layout.titles.terms')}</FootLink>
          <FootLink to={paths.privacy}>{t('layout.titles.privacy')}</FootLink>
        </Column>
      </div>
      <div className="measure">
        <p className="flex flex-wrap gap-x-3 border-t border-line py-4 text-sm sm:py-6 text-ink-soft">
          <span suppressHydrationWarning>
            {t('layout.footer.rights', { year: new Date().getFullYear() })}
          </span>
          {placeSources.map(({ name, url, license, licenseUrl }) => (
            <Fragment key={name}>
              <a href={url} className="inline-block py-0.5 underline underline-offset-4 hover:text-ink">
                {t('layout.footer.placeSource', { source: name })}
              </a>
              <a
                href={licenseUrl}
                translate="no"
                className="inline-block py-0.5 underline underline-offset-4 hover:text-ink"
              >
                {license}
              </a>
            </Fragment>
          ))}
        </p>
      </div>
    </footer>
  )
})

function Column({ title, children }: { title: string; children: ReactNode }) {
  return (
    <nav aria-label={title}>
      <h2 className="mb-1 font-sans text-base max-sm:text-sm sm:mb-2 font-bold tracking-normal">{title}</h2>
      <ul>{children}</ul>
    </nav>
  )
}

function FootLink({ to, children }: { to: string; children: ReactNode }) {
  return (
    <li>
      <Link to={to} className={LINK_CLASSES}>
        {children}
      </Link>
    </li>
  )
}
