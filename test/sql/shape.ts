/** A statement on one line, with every list of parameters and every list of rows shortened to one. */
export function shapeOf(statement: string): string {
  return statement
    .trim()
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/svc_test_[0-9a-f]{12}/g, 'svc_test')
    .replaceAll(/\bIN \((?:\?, ?)+\?\)/g, 'IN (?)')
    .replaceAll(/\(((?:[^()]|\([^()]*\))*)\)(?:, ?\(\1\))+/g, '($1)');
}
