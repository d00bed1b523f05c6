import { type Fault, isServiceError, parseDuration } from '../../../../kernel/contracts/index.ts';
import type { Json } from '../../../engine/runs/contract.ts';
import { compileAtUse } from '../../../platform/schema/contract.ts';
import { headerTexts, type NodeRequest } from '../contract.ts';
import type { HttpConfig } from '../generated/http-config.ts';
import schema from '../schema/http-config.schema.json' with { type: 'json' };
import { MAX_TIMEOUT_MS, validateRequest, requestInvalid } from './request-rules.ts';

const validate = compileAtUse(schema);

/** The request of a rendered config. Throws `request_invalid` with pointers of the config. */
export function toRequest(config: { [name: string]: Json }): NodeRequest {
  const errors = validate(config);
  if (errors.length > 0) throw requestInvalid(errors);
  const { method, headers, timeout, body, ...same } = config as unknown as HttpConfig & { body?: Json };
  return {
    ...(same as Pick<NodeRequest, 'url'>),
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body !== undefined && { body }),
    ...(headers && { headers: headerTexts(headers) }),
    ...(timeout !== undefined && { timeout_ms: parseTimeout(timeout) }),
  };
}

function parseTimeout(text: string): number {
  const [error] = validateTimeout(text);
  if (error) throw requestInvalid([error]);
  return parseDuration(text);
}

function validateTimeout(text: string): Fault[] {
  const pointer = '/timeout';
  try {
    const ms = parseDuration(text);
    return ms >= 1 && ms <= MAX_TIMEOUT_MS ? [] : [{ pointer, message: 'must be from 1ms to 1h' }];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return [{ pointer, message: error.message }];
  }
}

type Config = { readonly [name: string]: Json };

/** Validates a config before it is rendered. The results of expressions are not checked. */
export function validateConfig(config: Config): Fault[] {
  const {
    url,
    method,
    headers = {},
    body,
    encoding,
    credential,
    timeout,
    paginate,
  } = pickLiterals(config) as Partial<HttpConfig>;
  const named = credential ?? (config.credential === undefined ? undefined : UNKNOWN);
  return [
    ...validateRequest({
      ...{ url, method, encoding, credential: named, paginate },
      headers: headerTexts(headers),
      body: body as Json,
    }),
    ...(timeout === undefined ? [] : validateTimeout(timeout)),
  ];
}

/** Stands for a name that an expression gives later. */
const UNKNOWN = 'x';

/** Returns the members that contain no expression. Headers are considered one by one. */
function pickLiterals({ headers, ...config }: Config): Config {
  const withoutExpressions = (members: Config) =>
    Object.fromEntries(Object.entries(members).filter(([, value]) => !hasExpr(value)));
  if (headers === null || typeof headers !== 'object' || Array.isArray(headers) || isExpr(headers))
    return withoutExpressions(config);
  return { ...withoutExpressions(config), headers: withoutExpressions(headers) };
}

const isExpr = (value: Json): boolean => value !== null && typeof value === 'object' && Object.hasOwn(value, '$expr');

export function hasExpr(value: Json): boolean {
  if (value === null || typeof value !== 'object') return false;
  return isExpr(value) || Object.values(value).some((one) => hasExpr(one));
}
