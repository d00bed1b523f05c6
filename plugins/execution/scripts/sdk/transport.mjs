// Sends one request to the API of the server and returns its JSON.
import { SvcError } from './errors.mjs';
import { readJson } from './numbers.mjs';

/** The time for which the server may be silent: longer than it holds a request that waits. */
const SILENCE_MS = 70_000;
const AGENT = { keepAlive: true, maxFreeSockets: 64 };

/** Only what is used: an import would evaluate every export of a module, and Node 18 has only imports. */
const load = async (name) => process.getBuiltinModule?.(name) ?? (await import(name)).default;

const clients = new Map();

/** An idle connection keeps no program alive. */
function clientOf(protocol) {
  if (!clients.has(protocol))
    clients.set(
      protocol,
      load(`node:${protocol.slice(0, -1)}`).then(({ Agent, request }) => ({ agent: new Agent(AGENT), request })),
    );
  return clients.get(protocol);
}

/**
 * Sends a request below the project of the server. Throws `SvcError` with the code of the service, or `unreachable`; `transient`
 * is true when the same request can succeed later.
 */
export async function send(server, request) {
  const { status, text } = await exchange(server, request);
  if (status >= 200 && status < 300) return parse(server, text);
  // The token is only for this address.
  if (status >= 300 && status < 400)
    throw new SvcError('redirected', `${server.url} redirects to another address, and the token is not sent there`);
  throw problem(server, status, text);
}

async function exchange(server, { method, path, text, headers, signal }) {
  const { base, socketPath, org, project, token } = server;
  const url = new URL(`${base}/api/v1/orgs/${encodeURIComponent(org)}/projects/${encodeURIComponent(project)}${path}`);
  const { agent, request: start } = await clientOf(url.protocol);
  const options = {
    method,
    socketPath,
    signal,
    agent,
    headers: {
      accept: 'application/json, application/problem+json',
      authorization: `Bearer ${token}`,
      ...(text !== undefined && { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
      ...headers,
    },
  };
  return await new Promise((resolve, reject) => {
    const attempt = () => {
      const request = start(url, options);
      request.setTimeout(SILENCE_MS, () => request.destroy(new Error(`no response within ${SILENCE_MS / 1000} s`)));
      request.on('error', (error) => {
        if (signal?.aborted) return reject(signal.reason);
        // The server has closed a connection that was idle; it has not read this request.
        if (request.reusedSocket && ['ECONNRESET', 'EPIPE'].includes(error.code)) return attempt();
        reject(unreachable(server, error));
      });
      request.on('response', (response) => {
        const chunks = [];
        response.on('data', (chunk) => chunks.push(chunk));
        response.on('error', (error) => reject(signal?.aborted ? signal.reason : unreachable(server, error)));
        response.on('end', () =>
          resolve({ status: response.statusCode, text: Buffer.concat(chunks).toString('utf8') }),
        );
      });
      request.end(text);
    };
    attempt();
  });
}

const transient = (error) => Object.assign(error, { transient: true });

function unreachable({ url }, error) {
  const reason = error.code === 'ECONNREFUSED' ? 'no server is listening at this address' : error.message;
  const message = `cannot reach ${url}: ${reason}`;
  return transient(
    new SvcError('unreachable', message, 'Start it (`svc dev` here, or `svc serve`), or correct the address.', {
      cause: error,
    }),
  );
}

function parse({ url }, text) {
  try {
    return text === '' ? undefined : readJson(text);
  } catch {
    throw new SvcError('not_svc', `the server at ${url} is not an svc server`, 'Correct the address.');
  }
}

const OVERLOADED = new Set([429, 502, 503, 504]);

function problem({ origin }, status, text) {
  let body = {};
  try {
    body = JSON.parse(text);
  } catch {
    // The answer comes from a proxy and not from svc: only its status means something.
  }
  const { code = `http_${status}`, detail, title, next = '', errors = [] } = body;
  const faults = errors.map(({ pointer, message }) => `${pointer || '/'}: ${message}`).join('; ');
  const from = status === 401 ? ` (the token comes from ${origin})` : '';
  const message = `${detail ?? title ?? `the server answered ${status}`}${from}${faults === '' ? '' : `: ${faults}`}`;
  const error = new SvcError(code, message, next);
  return OVERLOADED.has(status) ? transient(error) : error;
}
