export interface Answer {
  status: number;
  /** The parsed body; undefined when it is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read answers member by member
  json: any;
  text: string;
  headers: Headers;
}

/** One request: `ask(url, token, 'PUT /api/v1/…', body)`. A body that is a string is sent as it is. */
export async function ask(
  base_url: string,
  token: string | undefined,
  line: string,
  body?: unknown,
  more: Record<string, string> = {},
): Promise<Answer> {
  const [method = 'GET', path = '/'] = line.split(' ');
  const headers = new Headers(more);
  if (token !== undefined) headers.set('authorization', `Bearer ${token}`);
  if (body !== undefined && !headers.has('content-type')) headers.set('content-type', 'application/json');
  const payload = typeof body === 'string' || body === undefined ? body : JSON.stringify(body);
  const response = await fetch(`${base_url}${path}`, { method, headers, body: payload ?? null });
  const text = await response.text();
  const json = /[/+]json\b/.test(response.headers.get('content-type') ?? '') ? JSON.parse(text) : undefined;
  return { status: response.status, json, text, headers: response.headers };
}
