import type { Plugin } from 'vite'

export function textsPlugin(): Plugin
export function frameTexts(): string[]
export function textsOf(...paths: string[]): string[]
export function screens(): string[]
export function withTexts(path: string, code: string, frame: string[]): string
