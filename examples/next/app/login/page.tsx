import { redirect } from 'next/navigation'
import { wordsFor } from '../../lib/sign-in'
import { auth, readAttempt } from '../../lib/watchword'
import { Steps } from './steps'

export default async function Page({ searchParams }: { searchParams: Promise<{ problem?: string }> }) {
  if (await auth.read()) redirect('/')
  const { problem } = await searchParams
  const { challenge } = await readAttempt()
  if (problem) return <Steps first={{ name: 'address', problem: wordsFor(problem) }} />
  return <Steps first={{ name: challenge ? 'factor' : 'address' }} />
}
