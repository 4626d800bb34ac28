import type { Metadata } from 'next'
import './style.css'

export const metadata: Metadata = { title: 'Watchword and Next.js' }

export default function Layout({ children }: { children: React.ReactNode }) {
  return (
    <html lang="en">
      <body>
        <main>{children}</main>
      </body>
    </html>
  )
}
