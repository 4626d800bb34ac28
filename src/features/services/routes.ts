import { defineRoute, type Route } from '../../platform/http/route.ts'
import { serviceErrors } from './errors.ts'
import { ServiceConfig, ServiceConfigChange } from './schema.ts'
import { changeServiceConfig, getServiceConfig } from './services.ts'

const tag = 'Services'

export const serviceRoutes: Route[] = [
  defineRoute({
    method: 'GET',
    path: '/v1/organization-apps',
    scope: 'apps_config.read',
    tag,
    summary: 'Read which services are on',
    description: 'Where nothing was configured every service is on.',
    reply: ServiceConfig,
    handle: (work) => getServiceConfig(work),
  }),
  defineRoute({
    method: 'PUT',
    path: '/v1/organization-apps',
    scope: 'apps_config.write',
    tag,
    summary: 'Switch services on and off',
    description:
      'Absent fields stay. Switching auth off switches otp, password, magic_link, social, passkeys, sso and mfa off.',
    body: ServiceConfigChange,
    reply: ServiceConfig,
    errors: [serviceErrors.authRequired],
    maybeEvents: ['service_config.updated'],
    handle: (work, { body }) => changeServiceConfig(work, body),
  }),
]
