/** The connections that the API reference shows: one for each protocol, with providers below example.com. */

// Certificates made only for these examples. No copy of the private keys exists.
const IDP_CERTIFICATE =
  'MIIDFTCCAf2gAwIBAgIUdDs1IBlk2QOtJBvxOTmc64v4C20wDQYJKoZIhvcNAQELBQAwGjEYMBYGA1UEAwwPaWRwLmV4YW1wbGUuY29tMB4XDT' +
  'I2MTEyODIzMDcwNloXDTM2MTEyNTIzMDcwNlowGjEYMBYGA1UEAwwPaWRwLmV4YW1wbGUuY29tMIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIB' +
  'CgKCAQEAwHgWHUJSsd6lNH4xSMpOzeiwBI/meMGjtMPjUYRqfx5u8czFvB2urioCa8J3bQoZIPdbXjTqjlKrTy00HpQmMXJJnro7WfxAxTKlRz' +
  'hLyckpaU15aPKNG9d0uc3piL++czLAaM87567j67NzXWMlb35LMxeycq1J5HM6XTdpQbD9usYUT8mtC2oSD2Zz9lPGSbAHC0tkFYryqsxJotMn' +
  'zKsQHZyFPDuIj30q+UTumfq0feLcIcHdU2gNJ6z3jE/GkVkDHtP2xM+sxb32kE1OnRSVe2AvcZJIkdXM2auOoBGW5WezlrcgCS6bnrfH08KGyC' +
  '0fndk7Ijvbx+IxJU5M3wIDAQABo1MwUTAdBgNVHQ4EFgQUg5Nj08HFau5j2X0YbD8dVBJ48VswHwYDVR0jBBgwFoAUg5Nj08HFau5j2X0YbD8d' +
  'VBJ48VswDwYDVR0TAQH/BAUwAwEB/zANBgkqhkiG9w0BAQsFAAOCAQEAtvWqEX+KZC1BFNCIBbs2uxsWtN9Igfwry8N7OEFUqPF1ZDBWaFeF8H' +
  'gp9hPKdJWDYmJXEJZuAZyE/M2B6YZCR6F0K/fqJZSe1A9vHxIAVypsskOsK0Wi+8LBZkfgMc1KxX3kfdvpcaInFmGuTT6dLXcZdNoEisuZHD/3' +
  'zzPFAlJI+VFqnrFaCwjEzwgyj3E70rQIa90+vsy7mkgQcdNtUO965XXWlLt7SmkYAF5KAZdxgKwFFrEm0ds4xXqeOUQhlNn0VNiv7JTQEeAcFY' +
  'R+BHRIG0QkSb3ZtXfE9E7O1YElDmDGE+AY48oAYkGR6KfkySLT2KyTzeT++TuraIDq1g=='
const SP_CERTIFICATE =
  'MIIDFzCCAf+gAwIBAgIUCIZ9pQR3f/cbWhmLRTOiJuX/9aIwDQYJKoZIhvcNAQELBQAwGzEZMBcGA1UEAwwQYXV0aC5leGFtcGxlLmNvbTAeFw' +
  '0yNjExMjgyMzA3MDhaFw0yOTExMjcyMzA3MDhaMBsxGTAXBgNVBAMMEGF1dGguZXhhbXBsZS5jb20wggEiMA0GCSqGSIb3DQEBAQUAA4IBDwAw' +
  'ggEKAoIBAQCY0eHJkavsh+W3WudmAdz1UYztiw8xyLJ7iuVAHxc9XeCehIqdXe7ACjO4iKHV0VL3fkHgmByWi57aS0IDTR5PhDsoEjB6z94zJm' +
  'iiLiTS2m4Tltagesbo8zbZaSezPU3BPK8kcbp6tw1b7mrudtiIBaXAoO/lsLpaW+RFkHQ6FgdOTkiobq3Czj8s4fa+KD9dKJWI705B4BlXShEK' +
  'dabOT3Aev/UuOQR+sPEnPrBob/mfLexdconeRh7E7uNKLEFPd21BvUApG6O57O4/JxfBZe8I8A/5yXmLo1AafddG7efqauaSpdvkJWl3dGp2uw' +
  'P3g+C6TE8XcKLtT80DU4JVAgMBAAGjUzBRMB0GA1UdDgQWBBQMn5VpzONHtkCk78OeghC8OPlL2jAfBgNVHSMEGDAWgBQMn5VpzONHtkCk78Oe' +
  'ghC8OPlL2jAPBgNVHRMBAf8EBTADAQH/MA0GCSqGSIb3DQEBCwUAA4IBAQCGmFKJuQqw/YlP8f9Tf2B2kSJhB5MGXf85wjFHUAZumbulWrTj15' +
  'VsyOzOFPNbO9MKpuMaUKxfQGL1PW7xKQNeOaL2YcqX8nhfnprlFlCm899WSx3Q8bfZQcXptZDvY63Eyqz3GH7DJcL5YGakc1EoYhnQrujaEr30' +
  'kcofUo1Z1jkPX4lHJXFXueVHVN6ACAWkh28PSXJnBPURCHjmm57XVh1rsdUZNUHKtFwYJt8VhrF4nFAfTfzjxaQQU0hr5QrZWCEJ8COH6phE1F' +
  '11GVwlMZlkui+Jao1czr4PrJ8mdBZDN3ErULrJQdg3PCX/CJZhHfhAETX86KrdtjvvzQvK'

const pemOf = (base64: string) =>
  `-----BEGIN CERTIFICATE-----\n${(base64.match(/.{1,64}/g) ?? []).join('\n')}\n-----END CERTIFICATE-----\n`

const IDP = 'https://idp.example.com'
const SAML_ID = '0198b6f2-6c40-7a51-8f3e-2b9d4c7a1e05'
const OIDC_ID = '0198b6f2-b45d-7a02-9e7c-8f31d6c20b94'
const ORGANIZATION = '0198b6f2-50b7-7c92-a6e3-1d8f4b7092ce'
const SERVICE = 'https://auth.example.com/api/v1/auth/login/sso'

export const exampleCertificate = {
  fingerprint_sha256: 'A0:D7:3C:52:47:9A:F8:FA:B7:BE:9B:03:4E:A0:E7:10:71:21:8B:64:6E:D0:1B:06:7A:52:83:61:CD:D2:C8:62',
  subject: 'CN=idp.example.com',
  not_before: '2026-11-28T23:07:06.000Z',
  not_after: '2036-11-25T23:07:06.000Z',
  status: 'current' as const,
  pem: pemOf(IDP_CERTIFICATE),
}

export const exampleSpCertificate = {
  fingerprint_sha256: '85:5F:28:25:98:A9:40:15:56:13:B6:A8:08:D9:0E:8C:39:96:15:76:6D:4B:BA:07:DB:6E:A7:32:C5:A7:EE:A9',
  subject: 'CN=auth.example.com',
  not_before: '2026-11-28T23:07:08.000Z',
  not_after: '2029-11-27T23:07:08.000Z',
  status: 'current' as const,
  pem: pemOf(SP_CERTIFICATE),
}

const METADATA = [
  `<EntityDescriptor xmlns="urn:oasis:names:tc:SAML:2.0:metadata" entityID="${IDP}/saml">`,
  '<IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">',
  '<KeyDescriptor use="signing"><KeyInfo xmlns="http://www.w3.org/2000/09/xmldsig#"><X509Data>',
  `<X509Certificate>${IDP_CERTIFICATE}</X509Certificate></X509Data></KeyInfo></KeyDescriptor>`,
  `<SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" Location="${IDP}/saml/sso"/>`,
  '</IDPSSODescriptor></EntityDescriptor>',
].join('')

/** Bodies of `POST /v1/sso/connections`. */
export const exampleCreations = {
  saml: { name: 'Acme SAML', protocol: 'saml' as const, idp_metadata_xml: METADATA },
  oidc: {
    name: 'Acme OpenID Connect',
    protocol: 'oidc' as const,
    oidc_issuer: IDP,
    oidc_client_id: '0oa1b2c3d4',
    oidc_client_secret: 'd3Mq0ZyK1nB7vX2cM9tR8sW3uJ6pL5dH',
    domains: ['acme.com'],
  },
}

/** Bodies of `PATCH /v1/sso/connections/{connectionId}`. */
export const exampleChanges = {
  saml: { idp_certificate: pemOf(IDP_CERTIFICATE), force_authn: true },
  oidc: { oidc_client_secret: 'k8Ww2Pz5yT0gA7eT4iO1qYb2kR9aF6uJ', group_role_mapping: { Administrators: 'admin' } },
}

const common = {
  sub_org_id: ORGANIZATION,
  status: 'active' as const,
  force_authn: false,
  group_role_mapping: { Administrators: 'admin', Editors: ['editor'] },
  attribute_mapping: { groups: 'memberOf' },
  domains: ['acme.com'],
  jit_provisioning: true,
  scim_match: null,
  relink: false,
  default_role: 'member' as const,
  trust_idp_mfa: false,
  last_test: {
    success: true,
    checks: [{ id: 'certificates', ok: true, message: 'The certificate is valid until 2036-11-25.', fix: null }],
    at: '2026-11-29T09:35:00.000Z',
  },
  last_login_at: '2026-11-29T10:05:00.000Z',
  created_at: '2026-11-29T09:30:00.000Z',
  updated_at: '2026-11-29T10:10:00.000Z',
  oidc_post_logout_redirect_uri: `${SERVICE}/oidc/logged-out`,
}

function addressesOf(id: string) {
  return {
    oidc_redirect_uri: `${SERVICE}/oidc/callback/${id}`,
    sp: {
      entity_id: `${SERVICE}/saml/metadata/${id}`,
      acs_url: `${SERVICE}/saml/acs/${id}`,
      slo_url: `${SERVICE}/saml/slo/${id}`,
      metadata_url: `${SERVICE}/saml/metadata/${id}`,
    },
  }
}

const samlAddresses = addressesOf(SAML_ID)
const oidcAddresses = addressesOf(OIDC_ID)

// The values of each protocol's fields that are not set.
const noSaml = {
  idp_entity_id: null,
  idp_sso_url: null,
  idp_slo_url: null,
  idp_slo_response_url: null,
  idp_metadata_url: null,
  idp_certificates: [],
  sign_requests: true,
  request_binding: 'redirect' as const,
  slo_binding: 'redirect' as const,
  name_id_format: null,
  want_assertions_signed: true,
  want_assertions_encrypted: false,
  allow_idp_initiated: false,
  allow_sha1: false,
}
const noOidc = {
  oidc_issuer: null,
  oidc_client_id: null,
  oidc_client_auth: 'client_secret_basic' as const,
  oidc_scopes: ['openid', 'email', 'profile'],
  oidc_callback: 'connection' as const,
  oidc_client_secret_set: false,
}

/** Connections in responses. */
export const exampleConnections = {
  saml: {
    ...common,
    ...noSaml,
    ...noOidc,
    ...samlAddresses,
    id: SAML_ID,
    name: 'Acme SAML',
    protocol: 'saml' as const,
    idp_entity_id: `${IDP}/saml`,
    idp_sso_url: `${IDP}/saml/sso`,
    idp_slo_url: `${IDP}/saml/slo`,
    idp_metadata_url: `${IDP}/saml/metadata`,
    idp_certificates: [exampleCertificate],
    sp: { ...samlAddresses.sp, certificates: [exampleSpCertificate] },
  },
  oidc: {
    ...common,
    ...noSaml,
    ...noOidc,
    ...oidcAddresses,
    id: OIDC_ID,
    name: 'Acme OpenID Connect',
    protocol: 'oidc' as const,
    oidc_issuer: IDP,
    oidc_client_id: '0oa1b2c3d4',
    oidc_client_secret_set: true,
    sp: { ...oidcAddresses.sp, certificates: [] },
    last_test: null,
    last_login_at: null,
  },
}
