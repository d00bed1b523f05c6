import { type Database, Errors, type Fault } from '../../../../kernel/contracts/index.ts';
import type { Audit } from '../../../platform/audit/contract.ts';
import { type NamedRequest, notFound } from '../../../platform/resources/contract.ts';
import { CREDENTIAL_KINDS, type CredentialNames } from '../../../secrets/credentials/contract.ts';
import type { ConnectorManifests } from '../../manifests/contract.ts';
import {
  CREDENTIAL_PLACEHOLDER,
  type DirectRequests,
  type NodeRequest,
  type ProbeOutcome,
} from '../../requests/contract.ts';
import type { ConnectorTest, ConnectorValues } from '../contract.ts';
import { readTestAnswer, readUrlAnswer } from '../domain/test-result.ts';
import { CREDENTIAL } from '../domain/names.ts';
import { ConnectorErrors } from '../errors.ts';
import type { CredentialTest } from '../generated/credential-test.ts';
import type { TestCredential } from '../generated/test-credential.ts';

export interface CredentialTestDeps {
  database: Database;
  audit: Pick<Audit, 'record'>;
  names: CredentialNames;
  requests: DirectRequests;
  manifests: Pick<ConnectorManifests, 'find'>;
  findTest(connector: string): ConnectorTest | undefined;
}

type Found = CredentialTest & { destination: string };

/** What is recorded of a URL: the path may be secret. */
const hostOf = (url: string): string => new URL(url).host;

const invalid = (errors: Fault[]) =>
  Errors.invalidRequest(errors.map(({ pointer, message }) => `${pointer} ${message}`.trim()).join('; '), { errors });

/** Finds out whether another system accepts a credential, without a run. */
export class CredentialTests {
  readonly #deps: CredentialTestDeps;

  constructor(deps: CredentialTestDeps) {
    this.#deps = deps;
  }

  /**
   * Sends one request. Throws `not_found`, `invalid_request`, `connector_input_invalid`, `request_invalid`, and the errors of
   * `Credentials.resolve`; then nothing was sent.
   */
  async test({ scope, name, by }: NamedRequest, body: TestCredential): Promise<CredentialTest> {
    const { database, audit, names } = this.#deps;
    if (!(await names.findSources(database, scope, [name])).has(name)) throw notFound(CREDENTIAL, name);
    const { destination, ...found } = await this.#find({ scope, name }, body);
    const detail = [destination, found.result, found.status].filter((text) => text !== undefined).join(' ');
    const { org_id, project_id } = scope;
    await database.transaction((tx) =>
      audit.record(tx, { ...by, org_id, project_id, action: 'credential.test', subject: name, detail }),
    );
    return found;
  }

  #find(named: Pick<NamedRequest, 'scope' | 'name'>, { connector, with: fields, url }: TestCredential): Promise<Found> {
    if ((connector === undefined) === (url === undefined))
      throw invalid([{ pointer: '', message: 'must have either connector or url' }]);
    if (connector !== undefined) return this.#testConnector(named, connector, (fields ?? {}) as ConnectorValues);
    if (fields !== undefined) throw invalid([{ pointer: '/with', message: 'belongs to connector' }]);
    return this.#testUrl(named, url!);
  }

  async #testConnector(
    named: Pick<NamedRequest, 'scope' | 'name'>,
    name: string,
    fields: ConnectorValues,
  ): Promise<Found> {
    const { manifests, findTest } = this.#deps;
    const manifest = manifests.find(name);
    if (manifest === undefined)
      throw invalid([
        { pointer: '/connector', message: 'is no connector of this server; `svc connector ls` lists them' },
      ]);
    const test = findTest(name);
    if (test === undefined)
      return {
        destination: name,
        result: 'untested',
        says:
          `the manifest of the connector ${name} declares no test request. Test with a URL, or add one that only reads to the ` +
          'manifest: "test": {"request": {"method": "GET", "url": "https://api.example.org/me"}}',
      };
    const lowered = test.lower(fields);
    if ('faults' in lowered) {
      const detail = lowered.faults.map(({ pointer, message }) => `${pointer} ${message}`).join('; ');
      throw ConnectorErrors.inputInvalid(`the test of ${name}: ${detail}`, { errors: lowered.faults });
    }
    const outcome = await this.#probe(named, lowered.request);
    // The fields may name another host than the one that the connector is known for.
    const destination = `${name} ${hostOf(lowered.request.url)}`;
    return { destination, ...readTestAnswer(manifest.title, test.described, outcome) };
  }

  async #testUrl(named: Pick<NamedRequest, 'scope' | 'name'>, url: string): Promise<Found> {
    // Without a place for a token, every kind gets an error that says what is missing.
    const any_kind = url.includes(CREDENTIAL_PLACEHOLDER) ? {} : { requires_credential: { kinds: CREDENTIAL_KINDS } };
    const outcome = await this.#probe(named, { method: 'GET', url, ...any_kind });
    const host = hostOf(url);
    return { destination: host, ...readUrlAnswer(host, outcome) };
  }

  #probe({ scope, name }: Pick<NamedRequest, 'scope' | 'name'>, request: NodeRequest): Promise<ProbeOutcome> {
    return this.#deps.requests.probe({ scope, request: { ...request, credential: name } });
  }
}
