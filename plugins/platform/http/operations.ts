import { Errors, type HttpReply, type HttpRequest } from '../../../kernel/contracts/index.ts';
import type { OperationCall, Operations } from './contract.ts';
import type { Endpoint } from './endpoint.ts';

/** An endpoint, and the segments of its path. */
interface IndexedEndpoint {
  endpoint: Endpoint;
  segments: readonly string[];
}

/** Finds the endpoints of calls from within the process. Literal segments take precedence over parameters, as over HTTP. */
export class EndpointOperations implements Operations {
  /** By method and number of segments. */
  readonly #index = new Map<string, IndexedEndpoint[]>();

  constructor(endpoints: readonly Endpoint[]) {
    for (const endpoint of endpoints) {
      const segments = endpoint.route.path.split('/');
      const key = `${endpoint.route.method} ${segments.length}`;
      this.#index.set(key, [...(this.#index.get(key) ?? []), { endpoint, segments }]);
    }
    for (const list of this.#index.values()) list.sort((a, b) => countParams(a.segments) - countParams(b.segments));
  }

  call(call: OperationCall, by: HttpRequest): Promise<HttpReply> {
    const { endpoint, params } = this.#find(call);
    return endpoint.call({ ...call, params }, by);
  }

  async allows(call: Pick<OperationCall, 'method' | 'path'>, by: HttpRequest): Promise<boolean> {
    const { endpoint, params } = this.#find(call);
    return endpoint.allows(params, by);
  }

  #find({ method, path }: Pick<OperationCall, 'method' | 'path'>) {
    const path_segments = path.split('/');
    for (const { endpoint, segments } of this.#index.get(`${method} ${path_segments.length}`) ?? []) {
      const params = matchSegments(segments, path_segments);
      if (params) return { endpoint, params };
    }
    throw Errors.notFound('no route has this path');
  }
}

const countParams = (segments: readonly string[]) => segments.filter((segment) => segment.startsWith(':')).length;

function matchSegments(
  segments: readonly string[],
  path_segments: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, segment] of segments.entries()) {
    const value = path_segments[index]!;
    if (segment.startsWith(':')) params[segment.slice(1)] = decodeURIComponent(value);
    else if (segment !== value) return undefined;
  }
  return params;
}
