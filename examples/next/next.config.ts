import { join } from 'node:path'
import type { NextConfig } from 'next'

// The client is a link to another folder of the repository, where its dependency is installed too.
const root = join(import.meta.dirname, '../..')

const config: NextConfig = {
  turbopack: { root },
  outputFileTracingRoot: root,
  poweredByHeader: false,
  async headers() {
    const value = "frame-ancestors 'none'; base-uri 'none'; object-src 'none'"
    return [{ source: '/:path*', headers: [{ key: 'Content-Security-Policy', value }] }]
  },
}

export default config
