/** The Keycloak realm files of deploy/keycloak, filled in as an operator does, with the sample people as users. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { persona } from '../../domains/sample-company/people.ts';
import type { Keycloak } from '../services/keycloak.ts';

export const PASSWORD = 'only-for-tests';
const SECRET = 'a-secret-only-for-tests';

/** The settings of Tamshai for this Keycloak. */
export const clientSettings = ({ url }: Keycloak): Record<string, string> => ({
  OIDC_ISSUER: `${url}/realms/tamshai-staff`,
  OIDC_CUSTOMER_ISSUER: `${url}/realms/tamshai-customers`,
  OIDC_CLIENT_ID: 'tamshai',
  OIDC_CLIENT_SECRET: SECRET,
});

export interface Realm {
  readonly realm: string;
}
/** The realm file with the address, the secret and the users, which an operator must set. */
export const realmOf = (base: string, name: string, users: readonly string[], more: object[] = []): Realm => {
  const text = readFileSync(fileURLToPath(new URL(`../../deploy/keycloak/${name}.json`, import.meta.url)), 'utf8');
  const realm = JSON.parse(text.replaceAll('https://tamshai.example', base).replaceAll('CHANGE-ME', SECRET)) as Realm;
  return {
    ...realm,
    sslRequired: 'none',
    bruteForceProtected: false,
    users: [
      ...users.map((user) => {
        const { sub, username, name, email, roles, employeeId, organizationId } = persona(user);
        const [firstName, ...rest] = name.split(' ');
        const attributes = employeeId === undefined ? { organization_id: [organizationId] } : { employee_id: [employeeId] };
        const credentials = [{ type: 'password', value: PASSWORD, temporary: false }];
        return {
          id: sub,
          username,
          firstName,
          lastName: rest.join(' '),
          email,
          enabled: true,
          emailVerified: true,
          attributes,
          credentials,
          realmRoles: [...roles],
        };
      }),
      ...more,
    ],
  } as Realm;
};

/** Applies docs/keycloak.md: clients that register themselves get the MCP audience, the id claim and the realm roles, and no more. */
export async function openToClients(keycloak: Keycloak, base: string, realm: string): Promise<void> {
  const claim = realm === 'tamshai-staff' ? 'employee_id' : 'organization_id';
  const mapper = (name: string, protocolMapper: string, config: object) => ({ name, protocol: 'openid-connect', protocolMapper, config });
  const id = await keycloak.admin<string>('POST', `/${realm}/client-scopes`, {
    name: 'tamshai',
    protocol: 'openid-connect',
    attributes: { 'include.in.token.scope': 'false', 'display.on.consent.screen': 'false' },
    protocolMappers: [
      mapper('mcp', 'oidc-audience-mapper', { 'included.client.audience': `${base}/mcp`, 'access.token.claim': 'true' }),
      mapper(claim, 'oidc-usermodel-attribute-mapper', {
        'user.attribute': claim,
        'claim.name': claim,
        'jsonType.label': 'String',
        'access.token.claim': 'true',
      }),
    ],
  });
  await keycloak.admin('PUT', `/${realm}/default-default-client-scopes/${id}`);
  await keycloak.admin(
    'POST',
    `/${realm}/client-scopes/${id}/scope-mappings/realm`,
    await keycloak.admin('GET', `/${realm}/roles?max=100`),
  );
}
