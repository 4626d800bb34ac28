import type { Page } from 'playwright-core'

/** What the policy of the pages refused in a browser tab, and what failed in its scripts, from now on. */
export function watchPolicy(page: Page): string[] {
  const complaints: string[] = []
  page.on('console', (message) => {
    if (/Content Security Policy/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return complaints
}
