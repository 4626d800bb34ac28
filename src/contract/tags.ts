/** The groups of routes in the documentation, in its order, each with what its routes are for. */
export const tags = {
  Authentication:
    'Sign users in with a mailed code, a mailed link or a password, list the sign-in methods of an organization, and change its sign-in settings. Start here.',
  'Sign-up': 'Let people create their own user in an organization that allows it.',
  Invitations: 'Invite people by email into an organization, and list or withdraw invitations.',
  MFA: 'Second factors: enroll an authenticator app or a phone for a user, answer the challenge of a sign-in, and set the policy.',
  Passkeys: 'Register passkeys (WebAuthn) and sign users in with them.',
  'Social login': 'Sign users in with Google, GitHub, Apple or Microsoft, and set the credentials of these providers.',
  'Single sign-on':
    'Your backend connects the identity providers of organizations (SAML, OpenID Connect) and starts sign-ins and sign-outs there.',
  Federation:
    'Single sign-on URLs that browsers and identity providers call. Register them at the provider. Your backend does not call them.',
  Tokens: 'Refresh, exchange, introspect and revoke tokens, and read the public keys that verify access tokens.',
  Sessions: 'List and end live sessions, and follow which sessions have ended.',
  'End user':
    'Routes for a signed-in user’s own account. Call them with the access token of the user instead of an API key.',
  OTP: 'One-time codes for your own purposes, such as confirming a purchase, and the settings for all codes.',
  Organizations: 'The customers of your application. Each organization has its own users, settings and connections.',
  Users: 'The people of an organization: create, find, change, lock, move, export and delete them.',
  Roles: 'Roles and permissions of users and team members, and a check whether a user has a permission.',
  SCIM: 'Provisioning of users and groups by the directory of an organization (SCIM 2.0).',
  'Admin portal': 'What an administrator of an organization sets up: branding, domains and the checklist.',
  Environments: 'Production, staging and custom environments. Each environment has its own users, keys and tokens.',
  'API keys': 'The credentials of your backend: create, limit, rotate and revoke them.',
  Team: 'The people of your own company who manage organizations, and the roster of each organization.',
  Services: 'Turn parts of the service on and off for an organization.',
  Mail: 'The brand, sender, subjects and texts of the emails that the service sends, and the addresses that bounce.',
  Webhooks: 'Events sent to your servers over HTTPS, signed and retried.',
  Events: 'The feed of everything that happens, in order, for your backend to read.',
  'Audit log': 'Search and export past events, and set how long they are kept.',
  Pages: 'Hosted pages that mailed links open. Browsers call these routes. Your backend does not.',
  Health: 'Probes for load balancers and monitoring. Probes need no API key.',
  Documentation: 'This OpenAPI document and the SCIM document, as JSON.',
}
