import type { Expressions } from '../../../../kernel/contracts/index.ts';
import type { ConnectorManifest, ManifestProblem } from '../../manifests/contract.ts';
import { CREDENTIAL_PLACEHOLDER, type NodeRequest, validateAnswerRules } from '../../requests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import type { ConnectorAction } from '../contract.ts';
import { compileBody, compileHeaders, compileQuery } from './message.ts';
import { checkSign } from './sign.ts';
import { ABSENT, type ActionScope } from './scope.ts';
import { TemplateCompiler } from './template.ts';
import { compileUrl } from './url-template.ts';
import { fillIn } from './values.ts';

/** Compiles an action. Returns its errors instead when there are some, with pointers into the manifest. */
export function compileAction(
  connector: ConnectorManifest,
  name: string,
  expressions: Expressions,
): { action: ConnectorAction } | { problems: readonly ManifestProblem[] } {
  const described = connector.actions![name]!;
  const { request, inputs = [], more_inputs = false, failed_when, paginate } = described;
  const { fields = [], credential } = connector;
  const at = `${pointerTo('/actions', name)}/request`;
  const compiler = new TemplateCompiler({ fields, inputs, more_inputs }, expressions);
  const url = compileUrl(request.url, `${at}/url`, compiler, credential);
  const query = compileQuery(request, `${at}/query`, compiler);
  const headers = compileHeaders(request, `${at}/headers`, compiler);
  const body = compileBody(request, `${at}/body`, compiler);
  if (request.sign) checkSign(request.sign, connector, described, `${at}/sign`, compiler);
  for (const member of ['query', 'headers', 'body'] as const)
    if (JSON.stringify(request[member] ?? '').includes(CREDENTIAL_PLACEHOLDER))
      compiler.report(
        `${at}/${member}`,
        'credential_place',
        `must not contain ${CREDENTIAL_PLACEHOLDER}`,
        'a url_token can be used only in the url',
      );
  const rules = { ...(failed_when ? { failed_when } : {}), ...(paginate ? { paginate } : {}) };
  for (const { pointer, message } of validateAnswerRules(rules, expressions))
    compiler.report(
      `${pointerTo('/actions', name)}${pointer}`,
      'answer_rule',
      message,
      'write CEL over status, headers and body, such as body.ok == false, and the members that the kind has',
    );
  if (paginate?.kind === 'link' && request.url.includes(CREDENTIAL_PLACEHOLDER))
    compiler.report(
      `${pointerTo('/actions', name)}/paginate/kind`,
      'credential_place',
      `cannot be link, because the url contains ${CREDENTIAL_PLACEHOLDER}`,
      'use another kind: a link of the response would contain the token',
    );
  if (compiler.problems.length > 0) return { problems: compiler.problems };
  const { method, sign } = request;
  const fixed = { method, ...credentialRequirement(connector), ...(sign ? { sign } : {}), ...rules };
  const lower: ConnectorAction['lower'] = (call) => {
    const author = fillIn(fields, call.with, { at: '/with', more: false });
    const user = fillIn(inputs, call.input, { at: '/input', more: more_inputs });
    const errors = [...author.errors, ...user.errors];
    if (errors.length > 0) return { faults: errors };
    const scope: ActionScope = { with: author.values, input: user.values, node: call.node };
    const address = url(scope, errors);
    const request_parts = [query(scope, errors), headers(scope, errors), body(scope, errors)] as const;
    if (errors.length > 0 || address === undefined) return { faults: errors };
    return { request: assemble(fixed, address, request_parts) };
  };
  return { action: { ...describeAction(connector, name), lower } };
}

/** Describes an action without compiling it. */
export function describeAction(connector: ConnectorManifest, name: string): Omit<ConnectorAction, 'lower'> {
  return { connector, name, described: connector.actions![name]!, type: `${connector.name}.${name}` };
}

function credentialRequirement({ credential }: ConnectorManifest): Pick<NodeRequest, 'requires_credential'> {
  if (!credential) return {};
  const { kind, header } = credential;
  return { requires_credential: { kinds: [kind], ...(header === undefined ? {} : { header }) } };
}

type RequestParts = readonly [
  query: string,
  headers: { [name: string]: string },
  body: { body: Json; encoding: 'json' | 'form' | 'text' } | typeof ABSENT,
];

function assemble(
  { method, ...rest }: Pick<NodeRequest, 'method' | 'requires_credential' | 'sign' | 'failed_when' | 'paginate'>,
  address: string,
  [query, headers, body]: RequestParts,
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
