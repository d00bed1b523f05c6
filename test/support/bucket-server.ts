import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A bucket as an S3-compatible service has it: objects are put, read by range and deleted by signed requests. */
export interface BucketServer {
  url: string;
  bucket: string;
  access_key_id: string;
  secret_access_key: string;
  /** By key. */
  objects: Map<string, Buffer>;
  /** Requests so far: `PUT key`. */
  requests: string[];
  /** Called first for each request; answers it and returns true, or lets it pass. */
  fault: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined;
  close(): Promise<void>;
}

const BUCKET = 'artifacts';
const KEY_ID = 'AKTESTKEY';
const SECRET = 'canary-bucket-secret';

const sha256 = (data: string | Buffer) => createHash('sha256').update(data).digest('hex');

/** What is wrong with the signature of a request (AWS Signature Version 4). */
function signatureFault(request: IncomingMessage, body: Buffer): string | undefined {
  const { headers, method = '', url = '' } = request;
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=([0-9a-f]{64})$/;
  const [, key, day = '', region = '', names = '', signature] = form.exec(headers.authorization ?? '') ?? [];
  if (key !== KEY_ID) return 'InvalidAccessKeyId';
  if (headers['x-amz-content-sha256'] !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  if (!names.split(';').includes('host') || !String(headers['x-amz-date']).startsWith(day)) return 'AccessDenied';
  const { pathname } = new URL(url, 'http://x');
  const lines = names.split(';').map((name) => `${name}:${String(headers[name]).trim()}`);
  const canonical = `${method}\n${pathname}\n\n${lines.join('\n')}\n\n${names}\n${sha256(body)}`;
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = `AWS4-HMAC-SHA256\n${String(headers['x-amz-date'])}\n${scope}\n${sha256(canonical)}`;
  let secret: Buffer = Buffer.from(`AWS4${SECRET}`);
  for (const part of scope.split('/')) secret = createHmac('sha256', secret).update(part).digest();
  return createHmac('sha256', secret).update(text).digest('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response.writeHead(status, { 'content-type': 'application/xml' });
  response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>no</Message></Error>`);
}

function give(request: IncomingMessage, response: ServerResponse, object: Buffer): void {
  const [, first = '', last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
  const piece = first === '' ? object : object.subarray(Number(first), last === '' ? undefined : Number(last) + 1);
  response.writeHead(first === '' ? 200 : 206, { 'content-length': piece.length });
  response.end(piece);
}

/** Starts one in this process, on a free port of the loopback address. */
export async function startBucket(): Promise<BucketServer> {
  const objects = new Map<string, Buffer>();
  const requests: string[] = [];
  const answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => {
    const { method, url = '' } = request;
    const [, bucket, ...rest] = url.split('/');
    const key = rest.join('/');
    requests.push(`${method} ${key}`);
    if (made.fault?.(request, response)) return;
    const fault = signatureFault(request, body);
    if (fault !== undefined) return refuse(response, 403, fault);
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket');
    if (method === 'PUT') {
      objects.set(key, body);
      response.end();
    } else if (method === 'DELETE') {
      objects.delete(key);
      response.writeHead(204);
      response.end();
    } else if (objects.has(key)) give(request, response, objects.get(key)!);
    else refuse(response, 404, 'NoSuchKey');
  };
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => answer(request, response, Buffer.concat(chunks)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const made: BucketServer = {
    ...{ bucket: BUCKET, access_key_id: KEY_ID, secret_access_key: SECRET, objects, requests, fault: undefined },
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return made;
}
