// A picture that a journey puts up, and what is seen of it.
import type { Locator } from '@playwright/test'
import sharp from 'sharp'

/** 40 by 30 pixels, all of one green. */
export const greenPng = () =>
  sharp({ create: { width: 40, height: 30, channels: 3, background: '#88aa66' } })
    .png()
    .toBuffer()

/** Its own width in pixels, as the browser has read it; 0 while it has not. */
export const widthOf = (picture: Locator) => picture.evaluate((img: HTMLImageElement) => img.naturalWidth)
