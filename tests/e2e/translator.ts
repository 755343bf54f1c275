// A page translator as browsers have it: Chrome and Edge take each text node out of the page and put
// `<font><font>translation</font></font>` in its place, now and for all text that is added later. React still writes to the
// node that was taken out, and fails where it removes it or inserts before it (github.com/facebook/react/issues/11538).
// It bears a text that is alone in its element, which it sets as the element's content.
import type { BrowserContext, Page } from '@playwright/test'

/**
 * Translates every page of this browser, or of this tab, from now on: into the same words, so that any journey can run under
 * it, with `mark` after each text.
 */
export async function translatePages(context: BrowserContext | Page, mark = ''): Promise<void> {
  await context.addInitScript(translate, mark)
}

/** Runs in the page, as it begins. */
function translate(mark: string) {
  const isSkipped = ({ parentElement }: Text) =>
    !parentElement ||
    parentElement.closest('script, style, noscript, textarea, title, font, .notranslate') !== null ||
    parentElement.closest('[translate]')?.getAttribute('translate') === 'no'
  const replace = (text: Text) => {
    if (!text.isConnected || !text.data.trim() || isSkipped(text)) return
    const [outer, inner] = [document.createElement('font'), document.createElement('font')]
    for (const font of [outer, inner]) font.style.verticalAlign = 'inherit'
    inner.append(text.data + mark)
    outer.append(inner)
    text.replaceWith(outer)
  }
  const replaceIn = (node: Node) => {
    if (node instanceof Text) return replace(node)
    const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
    const found: Text[] = []
    while (walker.nextNode()) found.push(walker.currentNode as Text)
    found.forEach(replace)
  }
  const observer = new MutationObserver((changes) => {
    for (const { type, target, addedNodes } of changes)
      for (const node of type === 'characterData' ? [target] : addedNodes) replaceIn(node)
  })
  // Browsers translate a page once they have read it.
  addEventListener('DOMContentLoaded', () => {
    replaceIn(document)
    observer.observe(document, { subtree: true, childList: true, characterData: true })
  })
}

/** Has every page of this browser report, as errors of its console, the texts that a translator would break. */
export async function watchTexts(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    const report = (node: Node) => {
      // Only a text next to other children is a node of React's own.
      const isReacts = Object.keys(node).some((key) => key.startsWith('__reactFiber$'))
      if (isReacts && node.nodeValue?.trim()) console.error(`Text next to elements: "${node.nodeValue}"`)
    }
    const reportIn = (node: Node) => {
      const walker = document.createTreeWalker(node, NodeFilter.SHOW_TEXT)
      if (node instanceof Text) report(node)
      while (walker.nextNode()) report(walker.currentNode)
    }
    new MutationObserver((changes) => {
      for (const { addedNodes } of changes) addedNodes.forEach(reportIn)
    }).observe(document, { subtree: true, childList: true })
    addEventListener('checktexts', () => reportIn(document))
  })
}

/** Looks at all texts of a page that was rendered at build: they become React's without being added. */
export async function checkTexts(page: Page): Promise<void> {
  await page.evaluate(() => dispatchEvent(new Event('checktexts')))
}

/** Whether the nodes of React can be distinguished from others, which everything above needs. */
export async function knowsReact(page: Page): Promise<boolean> {
  return page
    .locator('#root > *')
    .first()
    .evaluate((element) => Object.keys(element).some((key) => key.startsWith('__reactFiber$')))
}
