/** The `delivery` of a generated code whose only message was withheld. */
export function withholding(channel: 'email' | 'sms', reason: string) {
  return { status: 'withheld', reason, messages: [{ channel, status: 'withheld', reason }] }
}
