/** Of one organization in one environment. */
export const MAX_CONNECTIONS = 50
/** Of the provider of one connection. */
export const MAX_IDP_CERTIFICATES = 10
/** Of one connection, kept to be read. */
export const MAX_TRACES = 50
