import type { Expressions } from '../../../kernel/contracts/index.ts';
import type { ConnectorManifest, ManifestFault } from '../../manifests/contract.ts';
import { CREDENTIAL_HOLE, type NodeRequest } from '../../requests/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { pointerTo } from '../../schema/contract.ts';
import type { ConnectorAction } from '../contract.ts';
import { bodyOf, headersOf, queryOf } from './message.ts';
import { checkSign } from './sign.ts';
import { ABSENT, type ActionScope } from './scope.ts';
import { TemplateCompiler } from './template.ts';
import { compileUrl } from './url-template.ts';
import { fillIn } from './values.ts';

/** Compiles an action. Answers its faults instead when there are some; pointers are into the manifest. */
export function compileAction(
  connector: ConnectorManifest,
  name: string,
  expressions: Expressions,
): { action: ConnectorAction } | { faults: readonly ManifestFault[] } {
  const described = connector.actions![name]!;
  const { request, inputs = [], more_inputs = false } = described;
  const { fields = [], credential } = connector;
  const at = `${pointerTo('/actions', name)}/request`;
  const compiler = new TemplateCompiler({ fields, inputs, more_inputs }, expressions);
  const url = compileUrl(request.url, `${at}/url`, compiler, credential);
  const query = queryOf(request, `${at}/query`, compiler);
  const headers = headersOf(request, `${at}/headers`, compiler);
  const body = bodyOf(request, `${at}/body`, compiler);
  if (request.sign) checkSign(request.sign, connector, described, `${at}/sign`, compiler);
  for (const part of ['query', 'headers', 'body'] as const)
    if (JSON.stringify(request[part] ?? '').includes(CREDENTIAL_HOLE))
      compiler.say(
        `${at}/${part}`,
        'credential_place',
        `must not contain ${CREDENTIAL_HOLE}`,
        'a url_token can stand only in the url',
      );
  if (compiler.faults.length > 0) return { faults: compiler.faults };
  const { method, sign } = request;
  const fixed = { method, ...requirementOf(connector), ...(sign ? { sign } : {}) };
  const lower: ConnectorAction['lower'] = (given) => {
    const author = fillIn(fields, given.with, { at: '/with', more: false });
    const user = fillIn(inputs, given.input, { at: '/input', more: more_inputs });
    const faults = [...author.faults, ...user.faults];
    if (faults.length > 0) return { faults };
    const scope: ActionScope = { with: author.values, input: user.values, node: given.node };
    const address = url(scope, faults);
    const parts = [query(scope, faults), headers(scope, faults), body(scope, faults)] as const;
    if (faults.length > 0 || address === undefined) return { faults };
    return { request: assemble(fixed, address, parts) };
  };
  return { action: { ...namedAction(connector, name), lower } };
}

/** What a manifest says of an action as it stands, without compiling anything. */
export function namedAction(connector: ConnectorManifest, name: string): Omit<ConnectorAction, 'lower'> {
  return { connector, name, described: connector.actions![name]!, type: `${connector.name}.${name}` };
}

function requirementOf({ credential }: ConnectorManifest): Pick<NodeRequest, 'requires_credential'> {
  if (!credential) return {};
  const { kind, header } = credential;
  return { requires_credential: { kinds: [kind], ...(header === undefined ? {} : { header }) } };
}

type Parts = readonly [
  query: string,
  headers: { [name: string]: string },
  body: { body: Json; encoding: 'json' | 'form' | 'text' } | typeof ABSENT,
];

function assemble(
  { method, ...rest }: Pick<NodeRequest, 'method' | 'requires_credential' | 'sign'>,
  address: string,
  [query, headers, body]: Parts,
): NodeRequest {
  const joint = query === '' ? '' : address.includes('?') ? '&' : '?';
  return {
    method,
    url: `${address}${joint}${query}`,
    ...(Object.keys(headers).length > 0 ? { headers } : {}),
    ...(body === ABSENT ? {} : body),
    ...rest,
  };
}
