/** A program for another process: its clock goes ahead by as many seconds as it is sent. */
// Shared process: the text of a program that runs in a process of its own.
export const MOVED_CLOCK = `const Real = Date
let ahead = 0
globalThis.Date = class extends Real {
  constructor(...given) { given.length ? super(...given) : super(Real.now() + ahead) }
  static now() { return Real.now() + ahead }
}
process.on('message', (seconds) => { ahead = seconds * 1000; process.send('moved') })`
