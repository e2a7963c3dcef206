/** One connection that only listens. It comes back by itself, and says so: what was called out meanwhile was missed. */
import type pg from 'pg';

const AGAIN_MS = 500;
const STILL_THERE_MS = 10_000;
/** A question that is not answered for so long ends the connection, and with it what only seems to be one. */
const STILL_THERE = { text: 'select 1', query_timeout: 2_000 };

export class Listening {
  readonly #open: () => Promise<pg.Client>;
  readonly #channel: string;
  readonly #wake: () => void;
  #client: pg.Client | undefined;
  #later: NodeJS.Timeout | undefined;
  readonly #asking: NodeJS.Timeout;
  #closed = false;

  constructor(open: () => Promise<pg.Client>, channel: string, wake: () => void, stillThereMs = STILL_THERE_MS) {
    this.#open = open;
    this.#channel = channel;
    this.#wake = wake;
    // Who only listens does not notice that there is nobody any more.
    this.#asking = setInterval(() => void this.#client?.query(STILL_THERE).catch(() => {}), stillThereMs).unref();
    void this.#connect();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#later);
    clearInterval(this.#asking);
    void this.#client?.end().catch(() => {});
  }

  async #connect(): Promise<void> {
    try {
      const client = await this.#open();
      this.#client = client;
      client.on('notification', this.#wake).once('end', () => this.#again());
      await client.query(`listen ${this.#channel}`);
      if (this.#closed) this.close();
      else this.#wake();
    } catch {
      this.#again();
    }
  }

  #again(): void {
    const client = this.#client;
    this.#client = undefined;
    void client?.end().catch(() => {});
    clearTimeout(this.#later);
    if (!this.#closed) this.#later = setTimeout(() => void this.#connect(), AGAIN_MS).unref();
  }
}
