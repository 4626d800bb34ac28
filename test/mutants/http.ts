import type { Mutant } from './mutant.ts'

const MATRIX = 'test/matrix.test.ts'
const HEADERS = 'src/platform/http/headers.test.ts'
const CREDENTIALS = 'src/platform/http/credentials.test.ts'
const ADDRESS = 'src/platform/http/client-address.test.ts'
const BODIES = 'src/platform/http/bodies.test.ts'
const IDEMPOTENCY = 'src/platform/http/idempotency.test.ts'
const KEYS = 'src/platform/http/idempotency-keys.test.ts'
const PAGES = 'src/platform/http/pages.test.ts'
const KEPT_MAIL = 'src/platform/mail/pages.test.ts'
const SCOPES = 'test/scopes.test.ts'

/** What every request passes, before and after its handler. */
export const http: Mutant[] = [
  {
    name: 'a key needs the scope of the route',
    file: 'src/platform/http/authorize.ts',
    find: 'if (allows(caller.scopes, scope)) return',
    replace: 'if (caller) return',
    tests: [MATRIX],
    only: 'a key without the scope',
  },
  {
    name: 'a wildcard covers its own noun alone',
    file: 'src/platform/http/scopes.ts',
    find: "pattern.endsWith('.*') && scope.startsWith(pattern.slice(0, -1))",
    replace: "pattern.endsWith('.*')",
    tests: ['src/features/api-keys/api-keys.test.ts'],
  },
  {
    name: 'the feed of revocations needs sessions.read',
    file: 'src/features/sessions/routes.ts',
    find: "operation: 'sessions.listRevocations',\n    scope: 'sessions.read'",
    replace: "operation: 'sessions.listRevocations',\n    scope: 'any key'",
    tests: [SCOPES],
  },
  {
    name: 'a trusted device is forgotten with mfa.write',
    file: 'src/features/mfa/routes.ts',
    find: "operation: 'mfa.trustedDevices.forget',\n    scope: 'mfa.write'",
    replace: "operation: 'mfa.trustedDevices.forget',\n    scope: 'mfa.read'",
    tests: [SCOPES],
  },
  {
    name: 'two different credentials are refused',
    file: 'src/platform/http/authenticate.ts',
    find: 'if (own !== undefined && bearer !== null && own !== bearer) throw httpErrors.credentialConflict()',
    replace: '',
    tests: [CREDENTIALS],
  },
  {
    name: 'a key that has expired is refused',
    file: 'src/platform/http/authenticate.ts',
    find: 'if (caller.expiresAt && caller.expiresAt <= now) throw httpErrors.apiKeyExpired({ headers: CHALLENGE })',
    replace: '',
    tests: [CREDENTIALS],
  },
  {
    name: 'a key has its ceiling of requests',
    file: 'src/platform/http/rate-limit.ts',
    find: "if (count > limit) throw rateLimited(state, 'key.requests')",
    replace: '',
    tests: [CREDENTIALS],
  },
  {
    name: 'a route without a key takes no address that its caller makes up',
    file: 'src/platform/http/entry.ts',
    find: "if (route.auth !== 'key') state.origin.endUser = browserOf(request, peer.ip)",
    replace: 'state.origin.endUser.userAgent ??= null',
    tests: [ADDRESS],
  },
  {
    name: 'forwarding headers count from trusted proxies alone',
    file: 'src/platform/http/server.ts',
    find: 'trustProxy: config.trustProxy.length ? config.trustProxy : false,',
    replace: 'trustProxy: true,',
    tests: [ADDRESS],
  },
  {
    name: 'a body has a depth',
    file: 'src/platform/http/hostile.ts',
    find: 'if (path.length >= MAX_DEPTH)',
    replace: 'if (path.length >= 1000)',
    tests: [BODIES],
  },
  {
    name: 'no key of a body reaches a prototype',
    file: 'src/platform/http/hostile.ts',
    find: "if (POISON.has(key)) refuse('forbidden_key', 'has a forbidden key')",
    replace: '',
    tests: [MATRIX],
    only: 'forbidden names in the body',
  },
  {
    name: 'text is text',
    file: 'src/platform/http/hostile.ts',
    find: "if (value.includes('\\u0000') || !value.isWellFormed())",
    replace: 'if (value === null)',
    tests: [BODIES],
  },
  {
    name: 'a JSON route reads JSON alone',
    file: 'src/platform/http/media.ts',
    find: 'if (JSON_TYPE.test(type)) return readJson(text)',
    replace: 'if (type) return readJson(text)',
    tests: [MATRIX],
    only: 'another type',
  },
  {
    name: 'a page reads forms alone',
    file: 'src/platform/http/media.ts',
    find: 'if (FORM_TYPE.test(type)) return once(new URLSearchParams(text))',
    replace: 'if (type) return once(new URLSearchParams(text))',
    tests: [PAGES],
  },
  {
    name: 'no field of a form is there twice',
    file: 'src/platform/http/media.ts',
    find: "if (typeof value !== 'string' || fields.has(name))",
    replace: "if (typeof value !== 'string')",
    tests: [PAGES],
  },
  {
    name: 'a body has a size',
    file: 'src/platform/http/server.ts',
    find: 'bodyLimit: route.bodyLimit,',
    replace: 'bodyLimit: 100_000_000,',
    tests: [BODIES],
  },
  ...[
    [
      'nothing is kept by caches',
      "'cache-control': 'no-store',\n    'content-security-policy'",
      "'content-security-policy'",
    ],
    ['an answer is no page', "'content-security-policy': \"default-src 'none'; frame-ancestors 'none'\",", ''],
    ['an answer is what it says', "'x-content-type-options': 'nosniff',", ''],
    ['no address is told to others', "'referrer-policy': 'no-referrer',", ''],
    ['browsers come back by https', "'strict-transport-security': 'max-age=31536000; includeSubDomains'", ''],
  ].map(([name = '', find = '', replace = '']) => ({
    name,
    file: 'src/platform/http/server.ts',
    find,
    replace,
    tests: [HEADERS],
  })),
  {
    name: 'a page is in no frame',
    file: 'src/platform/http/page-layout.ts',
    find: "frame-ancestors 'none'; base-uri 'none'; `",
    replace: "base-uri 'none'; `",
    tests: [PAGES],
  },
  {
    name: 'what a page shows is escaped',
    file: 'src/platform/http/page-layout.ts',
    find: '...paragraphs.map((text) => `<p>${escapeHtml(text)}</p>`)',
    replace: '...paragraphs.map((text) => `<p>${text}</p>`)',
    tests: [PAGES, 'src/features/hosted/hosted.test.ts'],
  },
  {
    name: 'a form of another site is refused, as the browser says of the site',
    file: 'src/platform/http/cross-site.ts',
    find: "(site === undefined || site === 'same-origin' || site === 'none') && (",
    replace: '(',
    tests: [PAGES],
  },
  {
    name: 'a form of another site is refused, as the browser says of the origin',
    file: 'src/platform/http/cross-site.ts',
    find: '&& (known || URL.parse(origin)?.host === host)',
    replace: '&& (known || origin)',
    tests: [PAGES],
  },
  {
    name: 'pages of other origins read no answers to a user',
    file: 'src/platform/http/cors.ts',
    find: 'if (origin === null || origin === own || (await isAllowed(directory, origin))) return',
    replace: 'if (origin !== own) return',
    tests: ['src/features/userinfo/userinfo.test.ts'],
    only: 'CORS',
  },
  {
    name: 'kept mail is shown to this machine alone, by its address',
    file: 'src/platform/http/client-address.ts',
    find: '/^(127\\.|::1$)/.test(clientAddress(request)) &&',
    replace: '',
    tests: [KEPT_MAIL],
  },
  {
    name: 'kept mail is shown to who asks this machine by its name',
    file: 'src/platform/http/client-address.ts',
    find: '/^(127\\.|::1$)/.test(clientAddress(request)) &&\n    /^(localhost|127\\.\\d+\\.\\d+\\.\\d+|\\[::1\\])(:\\d+)?$/i.test(request.host)',
    replace: '/^(127\\.|::1$)/.test(clientAddress(request))',
    tests: [KEPT_MAIL],
  },
  {
    name: 'kept mail is shown to nobody behind a proxy',
    file: 'src/platform/http/client-address.ts',
    find: '!Object.keys(request.headers).some((name) => FORWARDED.test(name)) &&',
    replace: '',
    tests: [KEPT_MAIL],
  },
  {
    name: 'kept mail is shown nowhere else',
    file: 'src/platform/http/pages.ts',
    find: 'if (spec.localOnly && !work.isLocal) return null',
    replace: '',
    tests: [KEPT_MAIL],
  },
  {
    name: 'an idempotency key is good for one body',
    file: 'src/platform/http/idempotency.ts',
    find: 'if (!sameHash(row.body_hash, bodyHash)) throw httpErrors.idempotencyKeyReused()',
    replace: '',
    tests: [IDEMPOTENCY],
  },
  {
    name: 'an idempotency key is good for one URL',
    file: 'src/platform/http/idempotency.ts',
    find: 'keyedHash(hashKey, request.url, JSON.stringify',
    replace: 'keyedHash(hashKey, JSON.stringify',
    tests: [KEYS],
  },
  {
    name: 'an idempotency key is good for one API key',
    file: 'src/platform/http/idempotency.ts',
    find: 'where api_key_id = ${row.api_key_id} and route = ${row.route} and key = ${row.key}\n      and not exists (select from claimed)`',
    replace: 'where route = ${row.route} and key = ${row.key} order by created_at limit 1`',
    tests: [KEYS],
  },
  {
    name: 'an idempotency key is good for a day',
    file: 'src/platform/http/idempotency.ts',
    find: "where excluded.created_at - i.created_at > interval '24 hours'\n          or",
    replace: 'where',
    tests: [KEYS],
  },
  {
    name: 'while a request runs, its repetition waits',
    file: 'src/platform/http/idempotency.ts',
    find: 'excluded.created_at - i.created_at > make_interval(secs => ${CLAIM_SECONDS}))',
    replace: 'excluded.created_at - i.created_at >= make_interval(secs => 0 * ${CLAIM_SECONDS}))',
    tests: [KEYS],
  },
  {
    name: 'a refused request releases its idempotency key',
    file: 'src/platform/http/idempotency.ts',
    find: 'await release(platform, claim)',
    replace: '',
    tests: [IDEMPOTENCY],
  },
  {
    name: 'the addresses in mails follow the configuration, not the caller',
    file: 'src/features/links/send-link.ts',
    find: 'redirectTo: delivery.redirectTo })\n  const message',
    replace:
      'redirectTo: delivery.redirectTo }).replace(/^[^?]+/, () => `http://${work.host?.()}/auth/link`)\n  const message',
    tests: ['src/features/invites/invites.test.ts'],
    only: 'whatever host a request names',
  },
]
