// Rotates the key of ID tokens, and dies at the failpoints of SVC_FAILPOINTS. Arguments: database, master key, reason.
import { Database, Sealer } from '../../../../kernel/contracts/index.ts';
import { bootEngine } from '../../../../test/kit/index.ts';
import { type RotationReason, SigningKeys } from '../service/signing-keys.ts';

const [url = '', master_key = '', reason = 'due'] = process.argv.slice(2);
const server = await bootEngine({
  access: 'project',
  plugins: ['id-tokens'],
  database: { url, master_key, drop: async () => undefined },
  env: {
    SVC_ID_TOKENS: 'on',
    SVC_PUBLIC_URL: 'https://svc.example',
    SVC_FAILPOINTS: process.env['SVC_FAILPOINTS'],
  },
});
const keys = new SigningKeys({ database: server.use(Database), sealer: server.use(Sealer) });
await keys.rotate(reason as RotationReason);
