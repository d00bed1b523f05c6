/**
 * The `k:v` tags as an object. The key ends at the first colon, a later tag of the same key wins, and a tag without a
 * key has no entry. Entries are own members even for a tag such as `__proto__:x`.
 */
export function tagMap(tags: readonly string[]): Record<string, string> {
  const entries: [string, string][] = [];
  for (const tag of tags) {
    const colon = tag.indexOf(':');
    if (colon > 0) entries.push([tag.slice(0, colon), tag.slice(colon + 1)]);
  }
  return Object.fromEntries(entries);
}
