/** The standard OpenTelemetry variables for traces. */
import { z } from 'zod';
import { publicUrl } from './url-settings.ts';

export interface TracingSettings {
  /** The complete URL of the collector. */
  readonly endpoint: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly resource: Readonly<Record<string, string>>;
  /** The share of sampled traces, 0 to 1, of the traces that begin here. */
  readonly ratio: number;
  /** True if the caller decides whether a trace is sampled. */
  readonly followsParent: boolean;
}

const SAMPLERS = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const;
const headersText = { meaning: 'HTTP headers for the collector: `name=value,…`' };
const protocolText = { meaning: '`http/json` or `http/protobuf`. Tamshai always sends JSON' };
const protocol = z
  .enum(['http/json', 'http/protobuf'], 'must be http/json or http/protobuf: traces are sent over HTTP')
  .optional()
  .meta(protocolText);

export const tracingVariables = {
  OTEL_EXPORTER_OTLP_ENDPOINT: publicUrl().meta({
    meaning: 'The base URL of an OpenTelemetry collector. Traces need this setting or the next one',
  }),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: publicUrl().meta({
    default: 'the above with `/v1/traces`',
    meaning: 'The complete URL for traces, if it differs',
  }),
  OTEL_EXPORTER_OTLP_HEADERS: z.string().optional().meta(headersText),
  OTEL_EXPORTER_OTLP_TRACES_HEADERS: z.string().optional().meta(headersText),
  OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
  OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: protocol,
  OTEL_SERVICE_NAME: z.string().optional().meta({ default: '`tamshai`', meaning: 'Name of the service in traces' }),
  OTEL_RESOURCE_ATTRIBUTES: z.string().optional().meta({ meaning: 'More attributes of the process in traces: `name=value,…`' }),
  OTEL_TRACES_SAMPLER: z
    .enum(SAMPLERS, `must be one of ${SAMPLERS.join(', ')}`)
    .optional()
    .meta({ default: '`parentbased_always_on`', meaning: 'The sampler, which chooses the traces to send' }),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number('must be a number from 0 to 1')
    .min(0, 'must be a number from 0 to 1')
    .max(1, 'must be a number from 0 to 1')
    .optional()
    .meta({ default: '1', meaning: 'The share of traces that a `traceidratio` sampler sends, 0 to 1' }),
  OTEL_TRACES_EXPORTER: z
    .enum(['otlp', 'none'], 'must be otlp or none')
    .optional()
    .meta({ default: '`otlp`', meaning: '`none` turns traces off' }),
  OTEL_SDK_DISABLED: z.string().optional().meta({ default: '`false`', meaning: '`true` turns traces off' }),
};
type Variables = z.infer<z.ZodObject<typeof tracingVariables>>;

/** Parses `a=1,b=2` with percent-encoded values. */
function pairs(text = ''): Record<string, string> {
  const decoded = (part: string) => {
    try {
      return decodeURIComponent(part.trim());
    } catch {
      return part.trim();
    }
  };
  return Object.fromEntries(
    text
      .split(',')
      .flatMap((pair) =>
        pair.includes('=') ? [[decoded(pair.slice(0, pair.indexOf('='))), decoded(pair.slice(pair.indexOf('=') + 1))]] : [],
      ),
  );
}

/** Undefined if no traces are configured. */
export function tracingFrom(env: Variables, instance: string): TracingSettings | undefined {
  const endpoint =
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
    (env.OTEL_EXPORTER_OTLP_ENDPOINT && `${env.OTEL_EXPORTER_OTLP_ENDPOINT.replace(/\/+$/, '')}/v1/traces`);
  if (endpoint === undefined || endpoint === '' || env.OTEL_TRACES_EXPORTER === 'none' || env.OTEL_SDK_DISABLED?.toLowerCase() === 'true')
    return undefined;
  const sampler = env.OTEL_TRACES_SAMPLER ?? 'parentbased_always_on';
  const resource = pairs(env.OTEL_RESOURCE_ATTRIBUTES);
  return {
    endpoint,
    resource: { 'service.instance.id': instance, ...resource },
    headers: pairs(env.OTEL_EXPORTER_OTLP_TRACES_HEADERS ?? env.OTEL_EXPORTER_OTLP_HEADERS),
    service: env.OTEL_SERVICE_NAME ?? resource['service.name'] ?? 'tamshai',
    ratio: sampler.endsWith('off') ? 0 : sampler.endsWith('ratio') ? (env.OTEL_TRACES_SAMPLER_ARG ?? 1) : 1,
    followsParent: sampler.startsWith('parentbased'),
  };
}
