import type { FastifyRequest } from 'fastify'
import { defineErrors } from '../errors.ts'

export const crossSiteErrors = defineErrors({
  crossSite: [
    403,
    'cross_site_request',
    'The form was sent from another site',
    'A hosted page accepts its form only from the page itself. Open the link in the email again.',
  ],
})

/**
 * Accepts forms only from pages of this service, as far as the browser says where a form comes from. Our pages send no
 * referrer, and therefore `Origin: null`. Throws `cross_site_request`.
 */
export function refuseOtherSites(request: FastifyRequest, ownOrigin: string): void {
  const site = request.headers['sec-fetch-site']
  const { origin, host } = request.headers
  const known = origin === undefined || origin === 'null' || origin === ownOrigin
  if ((site === undefined || site === 'same-origin' || site === 'none') && (known || URL.parse(origin)?.host === host))
    return
  throw crossSiteErrors.crossSite({ detail: 'Open the link in the email, and send the form from there.' })
}
