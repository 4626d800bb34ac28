/** What a call brought, with the HTTP response. */
export interface Exchange<T> {
  data: T
  /** The response, whose body was read. */
  response: Response
  /** The request in log lines and events. */
  requestId: string
}

/** The result of a call: a promise of the reply. The request is sent at once. */
export class Call<T> extends Promise<T> {
  /** What `then` returns is a plain promise. */
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

  /** The reply with its HTTP response: status and headers such as `ETag` and `RateLimit`. */
  withResponse(): Promise<Exchange<T>> {
    // Its failure is reported by what is returned, and not a second time.
    this.catch(() => undefined)
    return this.#exchange
  }
}

type Row<Page, Field extends keyof Page> = Page[Field] extends readonly (infer Item)[] ? Item : never

/** A page, and by iteration the rows of this page and of all that follow. */
export class PageCall<Page, Field extends keyof Page & string> extends Call<Page> {
  readonly #field: Field
  readonly #next: (page: Page) => PageCall<Page, Field> | null

  constructor(exchange: Promise<Exchange<Page>>, field: Field, next: (page: Page) => PageCall<Page, Field> | null) {
    super(exchange)
    this.#field = field
    this.#next = next
  }

  /** The rows of this page and of those that follow. Each page is requested when the rows before it are used up. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Row<Page, Field>, void, undefined> {
    for await (const page of this.pages()) yield* page[this.#field] as Row<Page, Field>[]
  }

  /** This page and those that follow. */
  async *pages(): AsyncGenerator<Page, void, undefined> {
    for (let call: PageCall<Page, Field> | null = this; call !== null; ) {
      const page: Page = await call
      yield page
      call = call.#next(page)
    }
  }
}
