import { type Fault, isServiceError, parseDuration } from '../../../kernel/contracts/index.ts';
import type { Json } from '../../runs/contract.ts';
import { compileAtUse } from '../../schema/contract.ts';
import { headerTexts, type NodeRequest } from '../contract.ts';
import type { HttpConfig } from '../generated/http-config.ts';
import schema from '../schema/http-config.schema.json' with { type: 'json' };
import { MAX_TIMEOUT_MS, requestFaults, requestInvalid } from './request-rules.ts';

const validate = compileAtUse(schema);

/** The request of a rendered config. Throws `request_invalid` with pointers of the config. */
export function requestOf(config: { [name: string]: Json }): NodeRequest {
  const faults = validate(config);
  if (faults.length > 0) throw requestInvalid(faults);
  const { method, headers, timeout, body, ...same } = config as unknown as HttpConfig & { body?: Json };
  return {
    ...(same as Pick<NodeRequest, 'url'>),
    method: method ?? (body === undefined ? 'GET' : 'POST'),
    ...(body !== undefined && { body }),
    ...(headers && { headers: headerTexts(headers) }),
    ...(timeout !== undefined && { timeout_ms: timeoutOf(timeout) }),
  };
}

function timeoutOf(text: string): number {
  const [fault] = timeoutFaults(text);
  if (fault) throw requestInvalid([fault]);
  return parseDuration(text);
}

function timeoutFaults(text: string): Fault[] {
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

/** Faults of a config before it is rendered. What expressions will give is not looked at. */
export function configFaults(config: Config): Fault[] {
  const { url, method, headers = {}, body, encoding, credential, timeout } = literals(config) as Partial<HttpConfig>;
  const named = credential ?? (config.credential === undefined ? undefined : UNKNOWN);
  return [
    ...requestFaults({ url, method, encoding, credential: named, headers: headerTexts(headers), body: body as Json }),
    ...(timeout === undefined ? [] : timeoutFaults(timeout)),
  ];
}

/** Stands for a name that an expression will give. */
const UNKNOWN = 'x';

/** The members without an expression in them. Headers are looked at one by one. */
function literals({ headers, ...config }: Config): Config {
  const known = (members: Config) => Object.fromEntries(Object.entries(members).filter(([, value]) => !hasExpr(value)));
  if (headers === null || typeof headers !== 'object' || Array.isArray(headers) || isExpr(headers))
    return known(config);
  return { ...known(config), headers: known(headers) };
}

const isExpr = (value: Json): boolean => value !== null && typeof value === 'object' && Object.hasOwn(value, '$expr');

export function hasExpr(value: Json): boolean {
  if (value === null || typeof value !== 'object') return false;
  return isExpr(value) || Object.values(value).some((one) => hasExpr(one));
}
