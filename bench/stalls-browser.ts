/** A minimal browser for the benchmark: cookies, redirects and the sign-in forms. */

const unescaped = (text: string) => text.replaceAll('&amp;', '&');

export class Browser {
  readonly #cookies = new Map<string, string>();
  readonly #base: string;
  #url: string;
  #page = '';

  constructor(base: string) {
    this.#base = base;
    this.#url = base;
  }

  async #request(url: string, init: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(init.headers as Record<string, string>), accept: 'text/html', ...(cookie !== '' && { cookie }) };
    const response = await fetch(url, { redirect: 'manual', ...init, headers });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      if (value === '') this.#cookies.delete(name);
      else this.#cookies.set(name, value);
    }
    return response;
  }

  /** Follows redirects. */
  async open(path: string, init: RequestInit = {}): Promise<string> {
    this.#url = new URL(path, this.#base).href;
    let response = await this.#request(this.#url, init);
    for (let to = response.headers.get('location'); to !== null; to = response.headers.get('location')) {
      this.#url = new URL(to, this.#url).href;
      response = await this.#request(this.#url);
    }
    this.#page = await response.text();
    if (response.status !== 200) throw new Error(`${this.#url} answered ${response.status}`);
    return this.#page;
  }

  submit(values: Readonly<Record<string, string>>): Promise<string> {
    const action = unescaped(/<form[^>]*action="([^"]+)"/.exec(this.#page)?.[1] ?? this.#url);
    const csrf = /name="csrf"[^>]*value="([^"]+)"/.exec(this.#page)?.[1] ?? '';
    const headers = { origin: this.#base, 'content-type': 'application/x-www-form-urlencoded' };
    return this.open(new URL(action, this.#url).href, {
      method: 'POST',
      headers,
      body: new URLSearchParams({ csrf, ...values }).toString(),
    });
  }
}
