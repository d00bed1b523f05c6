import type { IncomingMessage } from 'node:http';
import { Errors, type Ids, type ServiceError } from '../contracts/index.ts';
import { HttpErrors } from './errors.ts';
import { requestId } from './exchange.ts';
import { type Problem, toProblem } from './problem.ts';

/** What the server takes anywhere at all. */
export const METHODS = 'GET, HEAD, PUT, POST, DELETE, OPTIONS';

function withId(error: ServiceError, id: string): Problem {
  const problem = toProblem(error, id);
  return { ...problem, headers: { 'X-Request-Id': id, ...problem.headers } };
}

function errorOf(code: string | undefined): ServiceError {
  if (code === 'HPE_HEADER_OVERFLOW') return HttpErrors.headersTooLarge('the headers have more than 16 KiB');
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return HttpErrors.requestTimeout('the request did not arrive in time');
  return Errors.invalidRequest('the request is not valid HTTP/1.1');
}

/** Answers to what never becomes a request. */
export const unacceptable = {
  http: (error: NodeJS.ErrnoException, ids: Ids) => withId(errorOf(error.code), ids.next('req')),
  connect(request: IncomingMessage, ids: Ids): Problem {
    const problem = withId(Errors.methodNotAllowed('this server is no proxy'), requestId(request, ids));
    return { ...problem, headers: { Allow: METHODS, ...problem.headers } };
  },
  expectation: () => HttpErrors.expectationFailed('only 100-continue can be expected'),
};
