/** Counters, gauges and histograms in the Prometheus text format. Callers keep the series, so that counting is one addition. */

export type Labels = Readonly<Record<string, string>>;

export interface Counter {
  add(by?: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/** A value that is read at each scrape. */
export type Reading = readonly [labels: Labels, value: number];

export interface Metrics {
  counter(name: string, help: string, labels?: Labels): Counter;
  histogram(name: string, help: string, labels?: Labels): Histogram;
  read(kind: 'gauge' | 'counter', described: { readonly name: string; readonly help: string }, readings: () => readonly Reading[]): void;
  /** Returns all series. With `server`, omits the series that have another `server` label. */
  text(server?: string): string;
}

/** The bucket bounds in seconds, from a read in memory to the deadline of a call. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

interface Series {
  readonly server: string | undefined;
  lines(): string;
}
interface Family {
  readonly kind: string;
  readonly help: string;
  readonly series: Map<string, Series>;
  readonly readings: (() => readonly Reading[])[];
}

const escaped = (text: string) => text.replace(/[\\"\n]/g, (found) => (found === '\n' ? '\\n' : `\\${found}`));
const formatLabels = (labels: Labels) =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${escaped(value)}"`)
    .join(',');
const braced = (labels: string) => (labels === '' ? '' : `{${labels}}`);

class CounterSeries implements Counter, Series {
  readonly server: string | undefined;
  readonly #head: string;
  #value = 0;
  constructor(name: string, labels: Labels) {
    this.server = labels['server'];
    this.#head = `${name}${braced(formatLabels(labels))} `;
  }
  add(by = 1): void {
    this.#value += by;
  }
  lines = () => `${this.#head}${this.#value}\n`;
}

class HistogramSeries implements Histogram, Series {
  readonly server: string | undefined;
  readonly #name: string;
  readonly #labels: string;
  readonly #counts = new Float64Array(BOUNDS.length + 1);
  #sum = 0;
  constructor(name: string, labels: Labels) {
    this.server = labels['server'];
    this.#name = name;
    this.#labels = formatLabels(labels);
  }
  observe(value: number): void {
    let at = 0;
    while (at < BOUNDS.length && value > (BOUNDS[at] as number)) at++;
    (this.#counts[at] as number)++;
    this.#sum += value;
  }
  /** Empty before the first observation, because every unused tool would add seventeen lines of zeros. */
  lines(): string {
    const total = this.#counts.reduce((sum, count) => sum + count, 0);
    if (total === 0) return '';
    const before = this.#labels === '' ? '' : `${this.#labels},`;
    let below = 0;
    let text = '';
    for (const [at, bound] of [...BOUNDS, '+Inf'].entries()) {
      below += this.#counts[at] as number;
      text += `${this.#name}_bucket{${before}le="${bound}"} ${below}\n`;
    }
    return `${text}${this.#name}_sum${braced(this.#labels)} ${this.#sum}\n${this.#name}_count${braced(this.#labels)} ${total}\n`;
  }
}

export function createMetrics(): Metrics {
  const families = new Map<string, Family>();
  const family = (kind: string, name: string, help: string): Family => {
    let found = families.get(name);
    if (!found) {
      found = { kind, help, series: new Map(), readings: [] };
      families.set(name, found);
    }
    if (found.kind !== kind || found.help !== help) throw new Error(`${name} is registered twice with different kinds or help texts`);
    return found;
  };
  const series = <S extends Series>({ series: known }: Family, labels: Labels, make: () => S): S => {
    const key = formatLabels(labels);
    const found = (known.get(key) as S | undefined) ?? make();
    known.set(key, found);
    return found;
  };

  return {
    counter: (name, help, labels = {}) => series(family('counter', name, help), labels, () => new CounterSeries(name, labels)),
    histogram: (name, help, labels = {}) => series(family('histogram', name, help), labels, () => new HistogramSeries(name, labels)),
    read: (kind, { name, help }, readings) => void family(kind, name, help).readings.push(readings),
    text(server) {
      const isSelected = (of: string | undefined) => server === undefined || of === undefined || of === server;
      let text = '';
      for (const [name, { kind, help, series: all, readings }] of families) {
        let lines = '';
        for (const each of all.values()) if (isSelected(each.server)) lines += each.lines();
        for (const read of readings) {
          for (const [labels, value] of read())
            if (isSelected(labels['server'])) lines += `${name}${braced(formatLabels(labels))} ${value}\n`;
        }
        if (lines !== '') text += `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines}`;
      }
      return text;
    },
  };
}
