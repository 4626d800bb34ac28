/** Per organization and environment. */
export const MAX_CONNECTIONS = 50
/** Per connection. */
export const MAX_IDP_CERTIFICATES = 10
/** How many of a connection's latest traces are shown. */
export const MAX_TRACES = 50
