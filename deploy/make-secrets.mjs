// Prints new secrets for one installation as lines of an .env file: node deploy/make-secrets.mjs > .env && chmod 600 .env
// Only the gateway gets TAMSHAI_GATEWAY_KEY; every domain server gets TAMSHAI_GATEWAY_PUBLIC_KEYS.
import { generateKeyPairSync, randomBytes } from 'node:crypto';

const secret = () => randomBytes(32).toString('base64url');
const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const lines = {
  TAMSHAI_MASTER_KEY: secret(),
  TAMSHAI_GATEWAY_KEY: JSON.stringify(privateKey.export({ format: 'jwk' })),
  TAMSHAI_GATEWAY_PUBLIC_KEYS: JSON.stringify({ keys: [publicKey.export({ format: 'jwk' })] }),
  TAMSHAI_METRICS_KEY: secret(),
  OIDC_CLIENT_SECRET: secret(),
  POSTGRES_PASSWORD: secret(),
  REDIS_PASSWORD: secret(),
  KEYCLOAK_ADMIN_PASSWORD: secret(),
};
for (const [name, value] of Object.entries(lines)) console.log(`${name}='${value}'`);
