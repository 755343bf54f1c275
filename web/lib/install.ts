// Installing the app: the browser's offer (spec 000 §1 and §2 'Install page') for screens.
import { useSyncExternalStore } from 'react'
import { installState } from './installOffer.ts'
import { useStore } from './useStore.ts'

/** `{standalone, offered}`, kept current. */
export const useInstall = () => useStore(installState)

/** Whether this is a phone or a tablet; false in pages rendered at build, until they are hydrated. */
export function useMobile(): boolean {
  return useSyncExternalStore(unchanging, isMobile, () => false)
}

/** Kinds of device and browser, each with its own way to install the app. */
export const DEVICES = ['ios', 'android', 'chromium', 'safari', 'firefox'] as const
export type Device = (typeof DEVICES)[number]

/** The device this runs on, as far as the browser reports it; null in prerendered pages until hydration. */
export function useDevice(): Device | null {
  return useSyncExternalStore(unchanging, device, () => null)
}

function device(): Device {
  if (isIos()) return 'ios'
  if (isMobile()) return 'android'
  if (/Firefox\//.test(navigator.userAgent)) return 'firefox'
  return /Safari\//.test(navigator.userAgent) && !/Chrom(e|ium)\//.test(navigator.userAgent)
    ? 'safari'
    : 'chromium'
}

const unchanging = () => () => {}

/** iPhone, iPad (which calls itself a Mac, but has a touch screen) or iPod. */
function isIos(): boolean {
  return (
    /iPad|iPhone|iPod/.test(navigator.userAgent) ||
    (/Mac/.test(navigator.userAgent) && navigator.maxTouchPoints > 1)
  )
}

/** A phone or a tablet. */
function isMobile(): boolean {
  return isIos() || /Android/.test(navigator.userAgent)
}
