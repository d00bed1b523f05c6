/**
 * Where systems of a scenario listen, and under which address the server and the agents find them: this machine alone, or
 * the name that the conformance run was given for it.
 */
export function reach(): { listens: string; host: string } {
  const host = process.env.SVC_CONFORMANCE_REACH || '127.0.0.1';
  return { listens: host === '127.0.0.1' ? host : '0.0.0.0', host };
}

export const isLoopback = (host: string): boolean => /^(localhost|127\.[\d.]+|\[?::1\]?)$/.test(host);
