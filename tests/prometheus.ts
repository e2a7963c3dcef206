/** A strict parser of the Prometheus text format. Malformed metrics fail a test. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const LINE = /^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\{((?:[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\["\\n])*",?)*)\})? (\S+)$/;
const LABEL = /([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"/g;
const SUFFIXES: Readonly<Record<string, readonly string[]>> = { histogram: ['_bucket', '_sum', '_count'] };

/** Throws for a sample outside its family, a duplicate series or an inconsistent histogram. */
export function parseMetrics(text: string): Sample[] {
  if (text !== '' && !text.endsWith('\n')) throw new Error('does not end with a line feed');
  const samples: Sample[] = [];
  const kinds = new Map<string, string>();
  const seen = new Set<string>();
  let family = '';
  let helped = '';
  for (const line of text.split('\n').slice(0, -1)) {
    const [, word, name = '', rest = ''] = /^# (HELP|TYPE) ([a-zA-Z_:][\w:]*) (.+)$/.exec(line) ?? [];
    if (word === 'HELP') {
      if (kinds.has(name)) throw new Error(`${name} comes twice`);
      helped = name;
      continue;
    }
    if (word === 'TYPE') {
      if (helped !== name || !['counter', 'gauge', 'histogram'].includes(rest)) throw new Error(`bad type of ${name}`);
      if (rest === 'counter' && !name.endsWith('_total')) throw new Error(`the counter ${name} does not end with _total`);
      kinds.set(name, rest);
      family = name;
      continue;
    }
    const [, sample = '', labelText = '', valueText = ''] = LINE.exec(line) ?? [];
    if (sample === '') throw new Error(`not a sample: ${line}`);
    const kind = kinds.get(family) ?? '';
    if (!(SUFFIXES[kind] ?? ['']).some((suffix) => sample === family + suffix)) throw new Error(`${sample} stands under ${family}`);
    const labels = Object.fromEntries([...labelText.matchAll(LABEL)].map(([, key = '', value = '']) => [key, value]));
    const value = valueText === '+Inf' ? Number.POSITIVE_INFINITY : Number(valueText);
    if (Number.isNaN(value)) throw new Error(`not a number: ${line}`);
    const id = `${sample}{${JSON.stringify(labels)}}`;
    if (seen.has(id)) throw new Error(`${id} comes twice`);
    seen.add(id);
    samples.push({ name: sample, labels, value });
  }
  checkHistograms(samples, kinds);
  return samples;
}

function checkHistograms(samples: readonly Sample[], kinds: ReadonlyMap<string, string>): void {
  for (const [name, kind] of kinds) {
    if (kind !== 'histogram') continue;
    const rest = ({ le: _, ...labels }: Readonly<Record<string, string>>) => JSON.stringify(labels);
    const counts = samples.filter((sample) => sample.name === `${name}_count`);
    if (counts.length === 0) throw new Error(`${name} has no count`);
    for (const { labels, value } of counts) {
      const buckets = samples.filter((sample) => sample.name === `${name}_bucket` && rest(sample.labels) === rest(labels));
      const bounds = buckets.map((bucket) => (bucket.labels['le'] === '+Inf' ? Number.POSITIVE_INFINITY : Number(bucket.labels['le'])));
      const rising = buckets.every(
        (bucket, at) => at === 0 || (bucket.value >= (buckets[at - 1]?.value ?? 0) && (bounds[at] ?? 0) > (bounds[at - 1] ?? 0)),
      );
      if (!rising || bounds.at(-1) !== Number.POSITIVE_INFINITY || buckets.at(-1)?.value !== value)
        throw new Error(`${name} does not add up`);
    }
  }
}

/** The sum of all series of a name with these labels. */
export const total = (samples: readonly Sample[], name: string, labels: Readonly<Record<string, string>> = {}): number =>
  samples
    .filter((sample) => sample.name === name && Object.entries(labels).every(([key, value]) => sample.labels[key] === value))
    .reduce((sum, { value }) => sum + value, 0);
