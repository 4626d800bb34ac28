/** A module for threads of the message pool. Its work never ends by itself, or it fails. */
export function spin(): never {
  for (;;);
}

export function echo(text: string): string {
  return text
}

export function fail(): never {
  throw new RangeError('of the work')
}
