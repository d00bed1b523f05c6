import type { Fault } from '../../../../kernel/contracts/index.ts';
import { SERVICE_HEADERS } from '../../../platform/egress/contract.ts';
import type { RequestTemplate } from '../../manifests/contract.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { pointerTo } from '../../../platform/schema/contract.ts';
import { ABSENT, type ActionScope } from './scope.ts';
import { type TemplateCompiler, toText } from './template.ts';

type Fill<T> = (scope: ActionScope, errors: Fault[]) => T;

type Encoding = NonNullable<RequestTemplate['encoding']>;

/** Headers that contain secrets. Only credentials may set them. */
const CREDENTIAL_HEADERS = /^(?:authorization|proxy-authorization|cookie)$/i;

/** The characters that HTTP allows in the value of a header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const HEADER_RULE = 'it has a line break, a control character or a character outside Latin-1';

/** Returns the pointer of the first value that a template reads from the config of a node. */
const firstNamed = (template: unknown): string => {
  const [, root, name] = /\b(with|input)\.([A-Za-z_]\w*)/.exec(JSON.stringify(template)) ?? [];
  return name === undefined ? '' : `/${root}/${name}`;
};

/** The members of `query` as text; a list becomes a repeated name. */
export function compileQuery(
  { query = {} }: RequestTemplate,
  pointer: string,
  compiler: TemplateCompiler,
): Fill<string> {
  const members = Object.entries(query).map(
    ([name, template]) => [name, compiler.compileJson(template as Json, pointerTo(pointer, name))] as const,
  );
  return (scope, errors) =>
    members
      .flatMap(([name, fill]) => {
        const value = fill(scope, errors);
        if (value === ABSENT) return [];
        return (Array.isArray(value) ? value : [value]).map(
          (one) => `${encodeURIComponent(name)}=${encodeURIComponent(toText(one).toWellFormed())}`,
        );
      })
      .join('&');
}

export function compileHeaders(
  { headers = {} }: RequestTemplate,
  pointer: string,
  compiler: TemplateCompiler,
): Fill<{ [name: string]: string }> {
  const seen = new Set<string>();
  const members = Object.entries(headers).map(([name, template]) => {
    const at = pointerTo(pointer, name);
    if (SERVICE_HEADERS.has(name.toLowerCase()))
      compiler.report(
        at,
        'header_forbidden',
        'is a header of the connection',
        'remove it: the service sends it itself',
      );
    if (CREDENTIAL_HEADERS.test(name))
      compiler.report(
        at,
        'header_forbidden',
        'is a header for secrets',
        'declare /credential: its value is added when the request is sent',
      );
    if (seen.has(name.toLowerCase()))
      compiler.report(at, 'header_twice', 'is set twice', 'keep one of them: header names are case-insensitive');
    seen.add(name.toLowerCase());
    return [name, compiler.compileText(template as Json, at), firstNamed(template)] as const;
  });
  return (scope, errors) => {
    const filled: { [name: string]: string } = {};
    for (const [name, fill, pointer] of members) {
      const value = fill(scope, errors);
      if (value === ABSENT) continue;
      if (HEADER_VALUE.test(value)) filled[name] = value.trim();
      else errors.push({ pointer, message: `cannot be put into the ${name} header: ${HEADER_RULE}` });
    }
    return filled;
  };
}

/** Compiles the body: JSON, a form whose members are texts, or a text. */
export function compileBody(
  { method, body, encoding = 'json' }: RequestTemplate,
  pointer: string,
  compiler: TemplateCompiler,
): Fill<{ body: Json; encoding: Encoding } | typeof ABSENT> {
  if (body === undefined) return () => ABSENT;
  if (method === 'GET' || method === 'HEAD')
    compiler.report(pointer, 'body_unused', `${method} sends no body`, 'use `query`, or another method');
  if (encoding === 'form' && (typeof body !== 'object' || body === null || Array.isArray(body) || '$map' in body))
    compiler.report(pointer, 'body_form', 'must be an object: the encoding is form', 'write {"name": "{{ … }}"}');
  const fill = compiler.compileJson(body as Json, pointer);
  return (scope, errors) => {
    const value = fill(scope, errors);
    if (value === ABSENT) return ABSENT;
    return { body: encodeBody(value, encoding), encoding };
  };
}

function encodeBody(value: Json, encoding: Encoding): Json {
  if (encoding === 'json') return value;
  if (encoding === 'text') return toText(value);
  const members = Object.entries(value as { [name: string]: Json });
  return Object.fromEntries(members.map(([name, one]) => [name, Array.isArray(one) ? one.map(toText) : toText(one)]));
}
