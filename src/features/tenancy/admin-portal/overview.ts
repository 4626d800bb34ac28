import { invalidField } from '../../../platform/errors.ts'
import { mailSettings } from '../../../platform/mail/settings.ts'
import type { Work } from '../../../platform/work.ts'
import { addDomain, listDomains, lookForRecord, removeDomain, verifyDomain } from '../../directory/domains/domains.ts'
import { readChecklist } from './checklist.ts'
import type { DomainAction, Overview } from './schema.ts'

/** The setup of an organization. */
export async function readOverview(work: Work): Promise<Overview> {
  const { brand_name, logo_url, support_email } = await mailSettings().effective(work)
  const domains = await listDomains(work)
  const setup_checklist = await readChecklist(work, {
    branding: async () => brand_name !== null,
    domain: async () => domains.some(({ status }) => status === 'verified'),
  })
  return { branding: { brand_name, logo_url, support_email }, domains, setup_checklist }
}

/** Checks a domain that is to be verified. Queries DNS, so do not call it in a transaction. */
export async function prepareAction(work: Work, body: DomainAction) {
  return body.action === 'verify_domain' ? prepareVerification(work, body) : null
}

function prepareVerification(work: Work, body: DomainAction) {
  return lookForRecord(work, requireField(body, 'domainId'))
}

/** Performs an action on a domain. Throws `invalid_request`, and what the called function throws. */
export async function actOnDomain(work: Work, body: DomainAction, seen: Awaited<ReturnType<typeof prepareAction>>) {
  switch (body.action) {
    case 'add_domain':
      return { domain: await addDomain(work, requireField(body, 'domain')), error: null }
    case 'verify_domain':
      return verifyDomain(work, seen ?? (await prepareVerification(work, body)))
    case 'remove_domain':
      await removeDomain(work, requireField(body, 'domainId'))
      return { domain: null, error: null }
  }
}

function requireField(body: DomainAction, field: 'domain' | 'domainId'): string {
  const value = body[field]
  if (value === undefined) throw invalidField(field, 'required', `${field} is required for ${body.action}`)
  return value
}
