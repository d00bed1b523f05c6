import { createHash, createHmac, generateKeyPairSync } from 'node:crypto';
import { jwtVerify } from 'jose';
import { type FarEnd, type Seen, send } from '../../features/support/far-end.ts';
import { membersOf } from './json-far-end.ts';

/** What a store has: path → text, or the members of an object. */
type Secrets = Map<string, string | Readonly<Record<string, unknown>>>;

interface Answer {
  status: number;
  json?: unknown;
  text?: string;
  headers?: Record<string, string>;
}

/** A far end with secrets. It answers only what is authenticated as the public documentation of its API says. */
abstract class SecretStoreFarEnd {
  readonly end: FarEnd;
  readonly secrets: Secrets = new Map();
  /** Answers instead of the store. Undefined is no answer at all. */
  fault: ((seen: Seen) => Answer | undefined) | undefined;

  constructor(end: FarEnd) {
    this.end = end;
    end.reply = (seen, response) =>
      void (async () => {
        const answer = this.fault ? this.fault(seen) : await this.answer(seen);
        if (!answer) return;
        const { status, json, text, headers = {} } = answer;
        send(response, status, headers, text ?? JSON.stringify(json));
      })();
  }

  abstract answer(seen: Seen): Answer | Promise<Answer>;
}

/** https://developer.hashicorp.com/vault/api-docs/secret/kv and …/auth/approle; the mount is `secret`. */
export class VaultFarEnd extends SecretStoreFarEnd {
  version = 2;
  namespace: string | undefined;
  readonly tokens = new Set(['hvs.root-canary']);
  readonly role = { role_id: 'role-4711', secret_id: 'secret-id-canary' };
  logins = 0;

  answer({ method, path, headers, body }: Seen): Answer {
    if (headers['x-vault-request'] !== 'true' || headers['x-vault-namespace'] !== this.namespace)
      return { status: 400 };
    if (method === 'POST' && path === '/v1/auth/approle/login') {
      const { role_id, secret_id } = membersOf(JSON.parse(body));
      if (role_id !== this.role.role_id || secret_id !== this.role.secret_id)
        return { status: 400, json: { errors: ['invalid role or secret ID'] } };
      this.logins += 1;
      const client_token = `hvs.login-canary-${this.logins}`;
      this.tokens.add(client_token);
      return { status: 200, json: { auth: { client_token, lease_duration: 3600, renewable: true } } };
    }
    if (!this.tokens.has(String(headers['x-vault-token'])))
      return { status: 403, json: { errors: ['permission denied'] } };
    const prefix = this.version === 2 ? '/v1/secret/data/' : '/v1/secret/';
    const data = path.startsWith(prefix) ? this.secrets.get(decodeURIComponent(path.slice(prefix.length))) : undefined;
    if (method !== 'GET' || data === undefined) return { status: 404, json: { errors: [] } };
    return { status: 200, json: { data: this.version === 2 ? { data, metadata: { version: 1 } } : data } };
  }
}

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

/**
 * `GetSecretValue` of https://docs.aws.amazon.com/secretsmanager/latest/apireference/. The signature is computed again, from
 * the request as it came.
 */
export class AwsFarEnd extends SecretStoreFarEnd {
  readonly keys = { access_key_id: 'AKIAFAREND0000', secret_access_key: 'aws-canary/key+4711' };
  readonly region = 'eu-west-1';

  answer(seen: Seen): Answer {
    const { method, path, headers, body } = seen;
    if (method !== 'POST' || path !== '/' || headers['x-amz-target'] !== 'secretsmanager.GetSecretValue')
      return { status: 400, json: { __type: 'UnknownOperationException' } };
    if (headers.authorization !== this.#authorization(seen))
      return { status: 400, json: { __type: 'InvalidSignatureException' } };
    const { SecretId: id } = membersOf(JSON.parse(body));
    const found = this.secrets.get(String(id));
    if (found === undefined)
      return { status: 400, json: { __type: 'com.amazonaws.secretsmanager#ResourceNotFoundException' } };
    const SecretString = typeof found === 'string' ? found : JSON.stringify(found);
    return { status: 200, json: { ARN: `arn:aws:secretsmanager:${this.region}:1:secret:${String(id)}`, SecretString } };
  }

  #authorization({ method, path, headers, body }: Seen): string {
    const time = String(headers['x-amz-date']);
    const names = /SignedHeaders=([a-z0-9;-]+)/.exec(headers.authorization ?? '')?.[1] ?? '';
    for (const name of ['host', 'x-amz-date', 'x-amz-target']) if (!names.split(';').includes(name)) return 'unsigned';
    const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`);
    const canonical = `${method}\n${path}\n\n${lines.join('')}\n${names}\n${sha256(body)}`;
    const scope = `${time.slice(0, 8)}/${this.region}/secretsmanager/aws4_request`;
    let key: string | Buffer = `AWS4${this.keys.secret_access_key}`;
    for (const part of scope.split('/')) key = hmac(key, part);
    const signature = hmac(key, `AWS4-HMAC-SHA256\n${time}\n${scope}\n${sha256(canonical)}`).toString('hex');
    return `AWS4-HMAC-SHA256 Credential=${this.keys.access_key_id}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  }
}

/** `projects.secrets.versions.access` of https://cloud.google.com/secret-manager/docs/reference/rest. */
export class GcpFarEnd extends SecretStoreFarEnd {
  readonly project = 'shop-4711';
  readonly #keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
  readonly email = 'svc@shop-4711.iam.gserviceaccount.com';

  /** The file that Google gives for a key of a service account. */
  get service_account(): string {
    return JSON.stringify({
      type: 'service_account',
      project_id: this.project,
      private_key_id: 'key-1',
      private_key: this.#keys.privateKey.export({ format: 'pem', type: 'pkcs8' }),
      client_email: this.email,
      token_uri: 'https://oauth2.googleapis.com/token',
    });
  }

  async answer({ method, path, headers }: Seen): Promise<Answer> {
    const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1] ?? '';
    const rules = { issuer: this.email, subject: this.email, audience: 'https://secretmanager.googleapis.com/' };
    const is_valid = await jwtVerify(token, this.#keys.publicKey, {
      ...rules,
      algorithms: ['RS256'],
      maxTokenAge: '1h',
    }).then(
      ({ protectedHeader }) => protectedHeader.kid === 'key-1',
      () => false,
    );
    if (!is_valid) return { status: 401, json: { error: { status: 'UNAUTHENTICATED' } } };
    const [, project, name] = /^\/v1\/projects\/([^/]+)\/secrets\/([^/]+)\/versions\/latest:access$/.exec(path) ?? [];
    const found = project === this.project && name !== undefined ? this.secrets.get(name) : undefined;
    if (method !== 'GET' || found === undefined) return { status: 404, json: { error: { status: 'NOT_FOUND' } } };
    const text = typeof found === 'string' ? found : JSON.stringify(found);
    return { status: 200, json: { payload: { data: Buffer.from(text).toString('base64') } } };
  }
}
