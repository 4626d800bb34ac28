/** The result of a call, with its HTTP response. */
export interface Exchange<T> {
  data: T
  /** The response. Its body has already been read. */
  response: Response
  /** The id of the request, which log lines and events contain. */
  requestId: string
}

/** The result of a call: a promise of the reply. The request is sent immediately. */
export class Call<T> extends Promise<T> {
  /** `then` returns a plain promise. */
  static override get [Symbol.species]() {
    return Promise
  }

  readonly #exchange: Promise<Exchange<T>>

  constructor(exchange: Promise<Exchange<T>>) {
    super((resolve, reject) => {
      exchange.then(({ data }) => resolve(data), reject)
    })
    this.#exchange = exchange
  }

  /** Returns the reply with its HTTP response: status and headers such as `ETag` and `RateLimit`. */
  withResponse(): Promise<Exchange<T>> {
    // The returned promise reports a failure, so it must not be reported here a second time.
    this.catch(() => undefined)
    return this.#exchange
  }
}

type Row<Page, Field extends keyof Page> = Page[Field] extends readonly (infer Item)[] ? Item : never

/** A page. Iterate over it to get the rows of this page and of all following pages. */
export class PageCall<Page, Field extends keyof Page & string> extends Call<Page> {
  readonly #field: Field
  readonly #next: (page: Page) => PageCall<Page, Field> | null

  constructor(exchange: Promise<Exchange<Page>>, field: Field, next: (page: Page) => PageCall<Page, Field> | null) {
    super(exchange)
    this.#field = field
    this.#next = next
  }

  /** The rows of this page and the following pages. Each page is requested when the previous rows are used up. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row<Page, Field>, void, undefined> {
    for await (const page of this.pages()) yield* page[this.#field] as Row<Page, Field>[]
  }

  /** This page and the following pages. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    for (let call: PageCall<Page, Field> | null = this; call !== null; ) {
      const page: Page = await call
      yield page
      call = call.#next(page)
    }
  }
}
