import { type NextRequest, NextResponse } from 'next/server'
import { auth } from './lib/watchword'

/** Refreshes sessions, and refuses changes that come from other sites. */
export function proxy(request: NextRequest) {
  return auth.proxy(request, NextResponse)
}

// Covers everything except files, and webhooks, which come from Watchword and not from a page.
export const config = { matcher: ['/((?!_next/static|_next/image|favicon.ico|webhooks$).*)'] }
