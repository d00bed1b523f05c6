/** Splits `path#field`, which names a value in a secret store. A path contains no `#`. */
export function splitReference(reference: string): { path: string; field?: string } {
  const at = reference.indexOf('#');
  return at < 0 ? { path: reference } : { path: reference.slice(0, at), field: reference.slice(at + 1) };
}
