/** Receives PostgreSQL notifications. After each connect it calls `wake`, because notifications may have been lost. */
import type pg from 'pg';

const RECONNECT_MS = 500;
const PING_INTERVAL_MS = 10_000;
/** After this timeout, the driver closes the connection. */
const PING = { text: 'select 1', query_timeout: 2_000 };

export class NotificationListener {
  readonly #open: () => Promise<pg.Client>;
  readonly #channel: string;
  readonly #wake: () => void;
  #client: pg.Client | undefined;
  #later: NodeJS.Timeout | undefined;
  readonly #asking: NodeJS.Timeout;
  #closed = false;

  constructor(
    open: () => Promise<pg.Client>,
    channel: string,
    { wake, stillThereMs = PING_INTERVAL_MS }: { wake: () => void; stillThereMs?: number | undefined },
  ) {
    this.#open = open;
    this.#channel = channel;
    this.#wake = wake;
    // Only a ping finds out that the server of an idle connection is gone.
    this.#asking = setInterval(() => void this.#client?.query(PING).catch(() => {}), stillThereMs).unref();
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
    if (!this.#closed) this.#later = setTimeout(() => void this.#connect(), RECONNECT_MS).unref();
  }
}
