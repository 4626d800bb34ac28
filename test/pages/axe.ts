import axe from 'axe-core'
import type { Page } from 'playwright-core'

/** What axe finds wrong on a page, with the first place of each finding. */
export async function findAxeViolations(page: Page): Promise<unknown> {
  await page.evaluate(axe.source)
  return page.evaluate(
    'axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, nodes[0].html]))',
  )
}
