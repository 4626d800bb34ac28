/** Of one organization in one environment. */
export const MAX_CONNECTIONS = 50
/** Of one connection, kept to be read. */
export const MAX_TRACES = 50
