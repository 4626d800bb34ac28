interface Allowed {
  /** Sources of images beside the service, each after a space. */
  images?: string
  /** Where forms may lead beside the service, in the same way. */
  forms?: string
  /** Sources of frames. Default: none. */
  frames?: string
  /** Whether the page has scripts of the service. Default: none run. */
  scripts?: boolean
  /** Whether its scripts ask the service. */
  connects?: boolean
  /** Whether style attributes and elements count: only for the mails that development shows in a frame. */
  inlineStyles?: boolean
}

/** The Content-Security-Policy of a page: everything comes from the service, and nothing is inline. */
export function policyOf({
  images = '',
  forms = '',
  frames,
  scripts = false,
  connects = false,
  inlineStyles = false,
}: Allowed = {}): string {
  return [
    "default-src 'none'",
    `style-src 'self'${inlineStyles ? " 'unsafe-inline'" : ''}`,
    ...(scripts ? ["script-src 'self'"] : []),
    `img-src 'self' data:${images}`,
    ...(connects ? ["connect-src 'self'"] : []),
    ...(frames === undefined ? [] : [`frame-src ${frames}`]),
    `form-action 'self'${forms}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')
}

// A host may have a semicolon (WHATWG URL), which would begin another directive.
const SOURCE = /^https?:\/\/([a-z\d.-]+|\[[a-f\d:.]+\])(:\d+)?$/

/** The origin of an http(s) address, to be added to a list of the policy; empty for none, and for one that has no place there. */
export function sourceOf(url: string | null): string {
  const origin = url === null ? '' : (URL.parse(url)?.origin ?? '')
  return SOURCE.test(origin) ? ` ${origin}` : ''
}

export const PAGE_POLICY = policyOf()

/** Headers of a page. */
export function pageHeaders(contentSecurityPolicy: string) {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': contentSecurityPolicy,
    'x-frame-options': 'DENY',
  }
}
