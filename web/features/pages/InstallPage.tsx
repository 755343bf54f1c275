// /install: the browser's own prompt where it offers one, the way by hand on this device elsewhere (spec 000 §2 'Install page'),
// and that on the others behind a disclosure.
import { BellRing, CircleCheck, type LucideIcon, Rocket, WifiOff } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { DEVICES, type Device, useDevice, useInstall } from '../../lib/install.ts'
import { paths } from '../../lib/paths.ts'
import { BirdMark } from '../../ui/BirdMark.tsx'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { InstallButton } from '../../ui/InstallButton.tsx'
import { Page, PageHeader } from '../../ui/Page.tsx'
import { Steps } from '../../ui/Steps.tsx'
import { Summary } from '../../ui/Summary.tsx'

const reasons: { key: 'offline' | 'notifications' | 'quick'; icon: LucideIcon }[] = [
  { key: 'offline', icon: WifiOff },
  { key: 'notifications', icon: BellRing },
  { key: 'quick', icon: Rocket },
]

export default function InstallPage() {
  const { t } = useTranslation()
  const { standalone } = useInstall()
  return (
    <Page width="narrow">
      {standalone ? <Installed /> : <HowToInstall />}
      <section aria-labelledby="why-install" className="mt-12">
        <h2 id="why-install" className="text-2xl">
          {t('pages.install.why')}
        </h2>
        <ul className="mt-5 divide-y divide-line border-y border-line">
          {reasons.map(({ key, icon: Icon }) => (
            <li key={key} className="flex gap-4 py-4">
              <Icon aria-hidden className="mt-0.5 size-6 shrink-0 text-wheat-ink" />
              <div>
                <p className="font-bold">{t(`pages.install.${key}.title`)}</p>
                <p className="text-ink-soft">{t(`pages.install.${key}.body`)}</p>
              </div>
            </li>
          ))}
        </ul>
      </section>
    </Page>
  )
}

function Installed() {
  const { t } = useTranslation()
  return (
    <>
      <PageHeader
        title={
          <span className="flex items-center gap-3">
            <CircleCheck aria-hidden className="size-9 text-success" />
            <span>{t('pages.install.installed')}</span>
          </span>
        }
        subtitle={t('pages.install.installedBody')}
      />
      <Button asChild>
        <Link to={paths.landing}>{t('pages.install.open')}</Link>
      </Button>
    </>
  )
}

function HowToInstall() {
  const { t } = useTranslation()
  const { offered } = useInstall()
  const device = useDevice()
  // Until the browser is known, the style sheet tells a finger from a mouse.
  const shown: { device: Device; className?: string }[] = device
    ? [{ device }]
    : [
        { device: 'android', className: 'pointer-fine:hidden' },
        { device: 'chromium', className: 'not-pointer-fine:hidden' },
      ]
  const lead = (on: Device) => t(isPhone(on) ? 'pages.install.lead' : 'pages.install.leadDesktop')
  return (
    <>
      <PageHeader
        title={t('pages.install.title')}
        subtitle={shown.map(({ device: on, className }) => (
          <span key={on} className={className}>
            {lead(on)}
          </span>
        ))}
      />
      <Card className="flex flex-col gap-6 p-6 sm:flex-row">
        <span className="grid size-24 shrink-0 place-items-center rounded-lg border border-line bg-paper">
          <BirdMark className="size-16" />
        </span>
        {offered ? (
          <div className="flex flex-col items-start gap-4">
            <p>{t('pages.install.offered')}</p>
            <InstallButton showOnDesktop size="lg" />
          </div>
        ) : (
          shown.map(({ device: on, className }) => (
            <div key={on} className={className}>
              {on !== 'firefox' && (
                <h2 className="mb-5 text-xl">
                  {t(isPhone(on) ? 'pages.install.taps' : 'pages.install.clicks')}
                </h2>
              )}
              <ByHand device={on} />
            </div>
          ))
        )}
      </Card>
      <details className="group mt-4 rounded-lg border border-line bg-surface px-6">
        <Summary className="w-full justify-between py-4 font-semibold">{t('pages.install.others')}</Summary>
        <div className="flex flex-col gap-8 pt-2 pb-6">
          {DEVICES.filter((other) => other !== device).map((other) => (
            <section key={other} aria-labelledby={`install-${other}`}>
              <h2 id={`install-${other}`} className="mb-4 text-xl">
                {t(`pages.install.device.${other}`)}
              </h2>
              <ByHand device={other} />
            </section>
          ))}
        </div>
      </details>
    </>
  )
}

const isPhone = (device: Device) => device === 'ios' || device === 'android'

/** The steps that a browser asks for where it makes no offer. */
function ByHand({ device }: { device: Device }) {
  const { t } = useTranslation()
  if (device === 'firefox') return <p>{t('pages.install.firefox')}</p>
  const steps =
    device === 'ios' || device === 'android'
      ? (['one', 'two', 'three'] as const).map((step) => ({
          title: t(`pages.install.${device}.${step}.title`),
          body: t(`pages.install.${device}.${step}.body`),
        }))
      : (['one', 'two'] as const).map((step) => ({
          title: t(`pages.install.${device}.${step}.title`),
          body: t(`pages.install.${device}.${step}.body`),
        }))
  return <Steps level={3} steps={steps} />
}
