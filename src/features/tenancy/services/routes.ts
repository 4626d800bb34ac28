import { defineRoute, type Route } from '../../../platform/http/route.ts'
import { serviceErrors } from './errors.ts'
import { serviceEvents } from './events.ts'
import { ServiceConfig, ServiceConfigChange } from './schema.ts'
import { changeDefaultConfig, changeServiceConfig, getServiceConfig } from './services.ts'

const tag = 'Services'

export const serviceRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/organization-apps',
    operation: 'services.get',
    scope: 'apps_config.read',
    tag,
    summary: 'Read which services are on',
    description:
      'An organization that has not changed its services uses the defaults of its environment. By default every service is on.',
    reply: ServiceConfig,
    handle: (work) => getServiceConfig(work),
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/organization-apps',
    operation: 'services.update',
    scope: 'apps_config.write',
    tag,
    summary: 'Turn services on and off',
    description:
      'Omitted fields are not changed. Turning auth off also turns off otp, password, magic_link, social, passkeys, sso and mfa.',
    body: ServiceConfigChange,
    reply: ServiceConfig,
    errors: [serviceErrors.authRequired],
    maybeEvents: [serviceEvents.configUpdated],
    handle: (work, { body }) => changeServiceConfig(work, body),
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/organization-apps/defaults',
    operation: 'services.updateDefaults',
    scope: 'apps_config.write',
    tag,
    directory: 'account',
    writes: 'own-environment',
    summary: 'Change the default services',
    description: 'Requires an org-wide key (not limited to one organization). Omitted fields are not changed.',
    body: ServiceConfigChange,
    reply: ServiceConfig,
    errors: [serviceErrors.authRequired],
    maybeEvents: [serviceEvents.configUpdated],
    handle: (work, { body }) => changeDefaultConfig(work, body),
  }),
]
