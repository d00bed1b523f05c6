import type { Fault } from '../../../kernel/contracts/index.ts';
import { SERVICE_HEADERS } from '../../egress/contract.ts';
import type { RequestTemplate } from '../../manifests/contract.ts';
import type { Json } from '../../runs/contract.ts';
import { pointerTo } from '../../schema/contract.ts';
import { ABSENT, type ActionScope } from './scope.ts';
import { type TemplateCompiler, textOf } from './template.ts';

type Fill<T> = (scope: ActionScope, faults: Fault[]) => T;

type Encoding = NonNullable<RequestTemplate['encoding']>;

/** Headers that hold secrets, which come from credentials only. */
const OF_CREDENTIALS = /^(?:authorization|proxy-authorization|cookie)$/i;

/** What HTTP lets a header's value be. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

const HEADER_RULE = 'it has a line break, a control character or a letter beyond Latin-1';

/** Where in the config of a node the first value of a template comes from. */
const firstNamed = (template: unknown): string => {
  const [, root, name] = /\b(with|input)\.([A-Za-z_]\w*)/.exec(JSON.stringify(template)) ?? [];
  return name === undefined ? '' : `/${root}/${name}`;
};

/** The members of `query` as text; a list becomes a repeated name. */
export function queryOf({ query = {} }: RequestTemplate, pointer: string, compiler: TemplateCompiler): Fill<string> {
  const members = Object.entries(query).map(
    ([name, template]) => [name, compiler.json(template as Json, pointerTo(pointer, name))] as const,
  );
  return (scope, faults) =>
    members
      .flatMap(([name, fill]) => {
        const value = fill(scope, faults);
        if (value === ABSENT) return [];
        return (Array.isArray(value) ? value : [value]).map(
          (one) => `${encodeURIComponent(name)}=${encodeURIComponent(textOf(one).toWellFormed())}`,
        );
      })
      .join('&');
}

export function headersOf(
  { headers = {} }: RequestTemplate,
  pointer: string,
  compiler: TemplateCompiler,
): Fill<{ [name: string]: string }> {
  const seen = new Set<string>();
  const members = Object.entries(headers).map(([name, template]) => {
    const at = pointerTo(pointer, name);
    if (SERVICE_HEADERS.has(name.toLowerCase()))
      compiler.say(at, 'header_forbidden', 'is a header of the connection', 'remove it: the service sends it itself');
    if (OF_CREDENTIALS.test(name))
      compiler.say(
        at,
        'header_forbidden',
        'is a header for secrets',
        'declare /credential: its value is added when the request is sent',
      );
    if (seen.has(name.toLowerCase()))
      compiler.say(at, 'header_twice', 'is there twice', 'keep one of them: upper and lower case are the same');
    seen.add(name.toLowerCase());
    return [name, compiler.text(template as Json, at), firstNamed(template)] as const;
  });
  return (scope, faults) => {
    const filled: { [name: string]: string } = {};
    for (const [name, fill, pointer] of members) {
      const value = fill(scope, faults);
      if (value === ABSENT) continue;
      if (HEADER_VALUE.test(value)) filled[name] = value.trim();
      else faults.push({ pointer, message: `cannot be put into the header ${name}: ${HEADER_RULE}` });
    }
    return filled;
  };
}

/** The body as it is sent: JSON, a form whose members are texts, or a text. */
export function bodyOf(
  { method, body, encoding = 'json' }: RequestTemplate,
  pointer: string,
  compiler: TemplateCompiler,
): Fill<{ body: Json; encoding: Encoding } | typeof ABSENT> {
  if (body === undefined) return () => ABSENT;
  if (method === 'GET' || method === 'HEAD')
    compiler.say(pointer, 'body_unused', `${method} sends no body`, 'use `query`, or another method');
  if (encoding === 'form' && (typeof body !== 'object' || body === null || Array.isArray(body) || '$map' in body))
    compiler.say(pointer, 'body_form', 'must be an object: the encoding is form', 'write {"name": "{{ … }}"}');
  const fill = compiler.json(body as Json, pointer);
  return (scope, faults) => {
    const value = fill(scope, faults);
    if (value === ABSENT) return ABSENT;
    return { body: encoded(value, encoding), encoding };
  };
}

function encoded(value: Json, encoding: Encoding): Json {
  if (encoding === 'json') return value;
  if (encoding === 'text') return textOf(value);
  const members = Object.entries(value as { [name: string]: Json });
  return Object.fromEntries(members.map(([name, one]) => [name, Array.isArray(one) ? one.map(textOf) : textOf(one)]));
}
