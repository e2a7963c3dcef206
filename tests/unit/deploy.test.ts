/** The Dockerfile, compose.yaml and Kubernetes manifests match the settings, ports and files of the product. */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { gatewayJwks, loadGatewayKeys } from '../../src/identity/gateway-keys.ts';
import { openKeys } from '../../src/identity/keys.ts';
import { readConfig, settings } from '../registry.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const SERVERS = Object.keys(settings.standardPorts);
type Tree = Readonly<Record<string, unknown>>;
/** The value at a dotted path of a document; a number in the path is a list index. */
const at = <T>(tree: unknown, path: string): T =>
  path.split('.').reduce<unknown>((part, key) => (part as Tree | undefined)?.[key], tree) as T;

/** Reads the settings as the product does; throws for an unknown setting and for a refused value. */
function startsWith(environment: Readonly<Record<string, string>>) {
  const { NODE_EXTRA_CA_CERTS: _, ...ours } = environment;
  return readConfig(ours);
}

const secrets = Object.fromEntries(
  spawnSync(process.execPath, [join(root, 'deploy/make-secrets.mjs')], { encoding: 'utf8' })
    .stdout.trim()
    .split('\n')
    .map((line) => /^(\w+)='([^']+)'$/.exec(line)?.slice(1) as [string, string]),
);

describe('the generated secrets', () => {
  test('contain a private gateway key and the matching public keys, and these contain no private part', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tamshai-deploy-'));
    try {
      const keys = openKeys(folder, { masterKey: secrets['TAMSHAI_MASTER_KEY'], gatewayKey: secrets['TAMSHAI_GATEWAY_KEY'] });
      const known = loadGatewayKeys(secrets['TAMSHAI_GATEWAY_PUBLIC_KEYS'] ?? '');
      expect(await known.find(keys.gateway.current.kid)).toBeDefined();
      expect(secrets['TAMSHAI_GATEWAY_PUBLIC_KEYS']).not.toContain('"d"');
      expect(JSON.stringify(gatewayJwks(keys))).not.toContain('"d"');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('are new each time', () => {
    const again = spawnSync(process.execPath, [join(root, 'deploy/make-secrets.mjs')], { encoding: 'utf8' }).stdout;
    for (const value of Object.values(secrets)) expect(again).not.toContain(value);
  });
});

describe('the image', () => {
  const lines = read('Dockerfile')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM ')));

  test('is built from pinned base images, runs as an unprivileged user, and copies only listed files', () => {
    expect(lines.filter((line) => line.startsWith('FROM ')).every((line) => /:(?!latest)[\w.-]+/.test(line))).toBe(true);
    expect(last.find((line) => line.startsWith('USER '))).toMatch(/^USER [1-9]\d*$/);
    expect(last.filter((line) => line.startsWith('RUN '))).toEqual([]);
    expect(lines.find((line) => line.includes('npm ci'))).toContain('--ignore-scripts');
    expect(read('.dockerignore').split('\n')[0]).toBe('*');
  });

  test('contains exactly the files of the package, and exposes all ports', () => {
    const { files } = JSON.parse(read('package.json')) as { files: string[] };
    const copied = last.flatMap((line) => /^COPY .*\/app\/(\S+) /.exec(line)?.[1] ?? []);
    // npm always packs package.json and LICENSE.
    const packed = files.map((pattern) => pattern.split('/')[0]);
    expect(new Set(copied)).toEqual(new Set([...packed, 'node_modules', 'package.json', 'LICENSE']));
    const expose =
      last
        .find((line) => line.startsWith('EXPOSE '))
        ?.split(' ')
        .slice(1)
        .map(Number) ?? [];
    expect(expose).toEqual([...Object.values(settings.standardPorts).toSorted((a, b) => a - b), 9464]);
  });
});

describe('the compose file', () => {
  const text = read('compose.yaml');
  /** The compose file with its variables replaced by the generated secrets and the defaults. */
  const filled = text
    .replace(
      /\$\{(\w+)(?::([-?])([^}]*))?\}/g,
      (_, name: string, kind: string | undefined, fallback = '') => secrets[name] ?? (kind === '-' ? fallback : ''),
    )
    .replaceAll("'{", '{')
    .replaceAll("}'", '}');
  const compose = parse(filled, { merge: true, maxAliasCount: 1000 }) as {
    services: Record<string, Tree>;
    networks: Record<string, Tree | null>;
    volumes: Record<string, null>;
  };
  const own = SERVERS.map((name) => [name, compose.services[name] ?? {}] as const);

  test('runs every server as a separate process, and a real server for each store', () => {
    for (const [name, service] of own) expect([name, service['command']]).toEqual([name, ['serve', name]]);
    for (const name of ['postgres', 'mongo', 'opensearch', 'redis', 'keycloak'])
      expect(compose.services[name]?.['image']).toMatch(/:[\d.]+/);
  });

  test('imports those realms into Keycloak that the servers trust, with the addresses of this installation', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'tamshai-realms-'));
    try {
      const { command, environment } = compose.services['realms'] as { command: [string]; environment: Record<string, string> };
      const script = command[0].replaceAll('$$', '$').replaceAll('/given', join(root, 'deploy/keycloak')).replaceAll('/filled', folder);
      expect(spawnSync('bash', ['-ec', script], { env: { ...process.env, ...environment }, encoding: 'utf8' })).toMatchObject({
        status: 0,
      });
      const gateway = at<Record<string, string>>(compose.services['gateway'], 'environment');
      for (const [issuer, file] of [
        ['OIDC_ISSUER', 'tamshai-staff.json'],
        ['OIDC_CUSTOMER_ISSUER', 'tamshai-customers.json'],
      ] as const) {
        const text = readFileSync(join(folder, file), 'utf8');
        const { realm, clients } = JSON.parse(text) as {
          realm: string;
          clients: { clientId: string; secret?: string; redirectUris?: string[] }[];
        };
        expect(gateway[issuer]?.split('/').at(-1)).toBe(realm);
        const own = clients.find(({ clientId }) => clientId === gateway['OIDC_CLIENT_ID']);
        expect(own).toMatchObject({
          secret: gateway['OIDC_CLIENT_SECRET'],
          redirectUris: [`${gateway['TAMSHAI_PUBLIC_URL']}/signin/callback`],
        });
        expect(clients.map(({ clientId }) => clientId)).toContain(`${gateway['TAMSHAI_PUBLIC_URL']}/mcp`);
        expect(text).not.toMatch(/tamshai\.example|CHANGE-ME/);
      }
      const mounted = at<string[]>(compose.services['keycloak'], 'volumes');
      expect(mounted).toContain('realms:/opt/keycloak/data/import:ro');
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });

  test('requires only secrets that the script generates', () => {
    const asked = [...text.matchAll(/\$\{(\w+):\?/g)].map(([, name = '']) => name);
    expect(new Set(asked)).toEqual(new Set(Object.keys(secrets)));
  });

  test.each(own)('%s has valid settings, and the addresses of the other servers', (name, service) => {
    const environment = Object.fromEntries(
      Object.entries(at<Tree>(service, 'environment')).map(([key, value]) => [
        key,
        typeof value === 'string' ? value : typeof value === 'number' ? String(value) : JSON.stringify(value),
      ]),
    );
    const config = startsWith(environment);
    expect(config.production).toBe(true);
    expect(config.instance).toBe(name);
    for (const other of SERVERS.slice(1)) expect(config.remoteUrl(other)).toBe(`http://${other}:${settings.standardPorts[other]}`);
    // Only the gateway has the private key.
    expect(Object.hasOwn(environment, 'TAMSHAI_GATEWAY_KEY')).toBe(name === 'gateway');
    expect(Object.hasOwn(environment, 'TAMSHAI_GATEWAY_PUBLIC_KEYS')).toBe(name !== 'gateway');
  });

  test.each([...own, ['migrate', compose.services['migrate'] ?? {}] as const])(
    '%s can write only to its data folder, and has no privileges',
    (name, service) => {
      expect(service).toMatchObject({ read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      expect(service['volumes']).toEqual([`${name}:/data`, 'certificates:/certificates:ro']);
      expect(Object.hasOwn(compose.volumes, name)).toBe(true);
    },
  );

  test('publishes two ports, both on loopback, and keeps the stores in an internal network', () => {
    expect(Object.values(compose.services).flatMap((service) => service['ports'] ?? [])).toEqual([
      '127.0.0.1:3100:3100',
      '127.0.0.1:8443:8443',
    ]);
    expect(compose.networks['stores']).toEqual({ internal: true });
    for (const name of ['postgres', 'mongo', 'opensearch', 'redis']) expect(compose.services[name]?.['networks']).toEqual(['stores']);
  });

  test('refers only to existing services, networks and volumes', () => {
    for (const service of Object.values(compose.services)) {
      for (const name of Object.keys(at<Tree | undefined>(service, 'depends_on') ?? {})) expect(compose.services[name]).toBeDefined();
      for (const name of at<string[] | undefined>(service, 'networks') ?? []) expect(Object.hasOwn(compose.networks, name)).toBe(true);
      for (const volume of at<string[] | undefined>(service, 'volumes') ?? [])
        expect(volume.startsWith('./') || Object.hasOwn(compose.volumes, volume.split(':')[0] ?? '')).toBe(true);
    }
  });
});

describe('the Kubernetes manifests', () => {
  const folder = 'deploy/kubernetes';
  const listed = (parse(read(`${folder}/kustomization.yaml`)) as { resources: string[] }).resources;
  const documentsIn = (file: string) =>
    parseAllDocuments(read(`${folder}/${file}`), { merge: true }).map((document) => document.toJS() as Tree);
  const all = listed.flatMap(documentsIn);
  const named = (kind: string, name: string) =>
    all.find((document) => document['kind'] === kind && at(document, 'metadata.name') === name) ?? {};

  test('kustomization.yaml lists every file except the secrets', () => {
    expect(new Set([...listed, 'kustomization.yaml', 'secrets.example.yaml'])).toEqual(new Set(readdirSync(join(root, folder))));
  });

  test('the settings are valid together with the secrets', () => {
    const configured = at<Record<string, string>>(named('ConfigMap', 'tamshai'), 'data');
    const examples = Object.assign(
      {},
      ...documentsIn('secrets.example.yaml').map((document) => at<Tree>(document, 'stringData')),
    ) as Record<string, string>;
    const config = startsWith({
      ...configured,
      ...examples,
      TAMSHAI_METRICS_KEY: secrets['TAMSHAI_METRICS_KEY'] ?? '',
      DATABASE_URL: 'postgres://postgres.stores:5432/tamshai',
      ELASTICSEARCH_URL: 'https://search.stores:9200',
      MONGODB_URL: 'mongodb://mongo.stores/',
      REDIS_URL: 'rediss://redis.stores:6379',
    });
    expect(config.loopbackOnly).toBe(false);
    expect(config.opsPort).toBe(9464);
    for (const name of SERVERS.slice(1)) expect(config.remoteUrl(name)).toBe(`http://${name}:${settings.standardPorts[name]}`);
  });

  /** The document as text, without the name, the port and the resources of the server. */
  const plain = (name: string, document: Tree) =>
    JSON.stringify(document)
      .replace(/"resources":\{"requests":\{"cpu".*?\}\}/, '')
      .replaceAll(new RegExp(`\\b(${name}|domain|${settings.standardPorts[name]})\\b`, 'g'), '*');

  test.each(SERVERS)('%s is a StatefulSet with probes, a disruption budget, an autoscaler and a service', (name) => {
    const set = named('StatefulSet', name);
    const pod = at<Tree>(set, 'spec.template.spec');
    const container = at<Tree>(pod, 'containers.0');
    expect(at(set, 'spec.replicas')).toBeGreaterThanOrEqual(2);
    expect(container['args']).toEqual(['serve', name]);
    expect(at(container, 'ports')).toEqual([
      { name: 'http', containerPort: settings.standardPorts[name] },
      { name: 'ops', containerPort: 9464 },
    ]);
    for (const [probe, path] of [
      ['startupProbe', '/health'],
      ['livenessProbe', '/health'],
      ['readinessProbe', '/ready'],
    ] as const)
      expect(at(container, `${probe}.httpGet`)).toEqual({ path, port: 'ops' });
    expect(container['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod).toMatchObject({
      automountServiceAccountToken: false,
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    });
    expect(at(set, 'spec.template.metadata.labels')).toMatchObject(at<Tree>(set, 'spec.selector.matchLabels'));
    expect(at(named('Service', name), 'spec.selector')).toEqual(at(set, 'spec.template.metadata.labels'));
    expect(at(named('Service', name), 'spec.ports.0')).toEqual({ name: 'http', port: settings.standardPorts[name], targetPort: 'http' });
    expect(at(named('PodDisruptionBudget', name), 'spec.maxUnavailable')).toBe(1);
    expect(at(named('HorizontalPodAutoscaler', name), 'spec.scaleTargetRef.name')).toBe(name);
    const given = at<{ secretRef?: { name: string } }[]>(container, 'envFrom').flatMap(({ secretRef }) => secretRef?.name ?? []);
    expect(given).toEqual(name === 'gateway' ? ['tamshai', 'tamshai-gateway'] : ['tamshai']);
  });

  test('the manifests of the nine domains differ only in name, port and resources', () => {
    for (const kind of ['Service', 'StatefulSet', 'PodDisruptionBudget', 'HorizontalPodAutoscaler']) {
      expect(new Set(SERVERS.slice(1).map((name) => plain(name, named(kind, name)))).size).toBe(1);
    }
  });

  test('the network policy denies everything by default', () => {
    const policies = all.filter((document) => document['kind'] === 'NetworkPolicy');
    expect(at(policies[0], 'spec')).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    const text = JSON.stringify(policies);
    expect(text).not.toContain('0.0.0.0/0');
    for (const policy of policies.slice(1)) expect(at(policy, 'spec.podSelector.matchLabels')).toBeDefined();
  });

  test("only the migration gets the owner's login", () => {
    const job = at<Tree>(named('Job', 'migrate'), 'spec.template.spec.containers.0');
    expect(job['args']).toEqual(['migrate']);
    expect(JSON.stringify(job)).toContain('tamshai-owner');
    for (const name of SERVERS) expect(JSON.stringify(named('StatefulSet', name))).not.toContain('tamshai-owner');
  });
});
