// The OWASP minimum for argon2id, which the product uses as well.
export const COST = { memoryCost: 19456, timeCost: 2, parallelism: 1 }

export const PASSWORD = 'correct horse battery staple'
