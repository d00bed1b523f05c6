import { getConformanceSuite, type IncrementalTestSuite } from '@bufbuild/cel-spec/testdata/tests.js';
import t from 'tap';
import { createExpressions } from './create-expressions.ts';

/**
 * The official CEL conformance cases. Cases are left out when this service has no use for them or JSON cannot express
 * them. Failing cases are pinned by name, so that any change of the library or of this code is noticed.
 */
const LEFT_OUT: Readonly<Record<string, string>> = {
  bindings_ext: 'extension libraries',
  block_ext: 'extension libraries',
  encoders_ext: 'extension libraries',
  macros2: 'extension libraries',
  math_ext: 'extension libraries',
  optionals: 'extension libraries',
  string_ext: 'extension libraries',
  dynamic: 'protobuf messages',
  enums: 'protobuf messages',
  proto2: 'protobuf messages',
  proto2_ext: 'protobuf messages',
  proto3: 'protobuf messages',
  wrappers: 'protobuf messages',
  namespace: 'namespaces',
  type_deductions: 'static types',
};

/** Case → why it fails. */
const NO_QUOTED_FIELDS = 'the grammar of the library has no quoted fields; `map["content-type"]` says the same';
const FAILS: Readonly<Record<string, string>> = {
  'fields/quoted_map_fields/field_access_dash': NO_QUOTED_FIELDS,
  'fields/quoted_map_fields/field_access_dot': NO_QUOTED_FIELDS,
  'fields/quoted_map_fields/field_access_slash': NO_QUOTED_FIELDS,
  'fields/quoted_map_fields/has_field_dash': NO_QUOTED_FIELDS,
  'fields/quoted_map_fields/has_field_dot': NO_QUOTED_FIELDS,
  'fields/quoted_map_fields/has_field_slash': NO_QUOTED_FIELDS,
};

/** Single cases that cannot apply, by their paths. */
const APART: readonly [RegExp, string][] = [
  [/\/unbound_is_runtime_error$|^parse\/receiver_function_names\//, 'unknown names, refused when compiled'],
  [/^fields\/qualified_identifier_resolution\/(?!map_(key|value))/, 'namespaces'],
];

type Case = IncrementalTestSuite['tests'][number]['original'];
type ExprValue = NonNullable<Case['bindings'][string]['kind']['value']>;
type Outcome = { left_out: string } | { failed: string } | 'passed';

const expressions = createExpressions();
const NOT_JSON = Symbol('not JSON');

/** A value of a case as this service would answer it. */
function jsonOf(value: unknown): unknown {
  const { case: kind, value: given } = (value as { kind: { case: string; value: never } }).kind;
  switch (kind) {
    case 'nullValue':
      return null;
    case 'boolValue':
    case 'stringValue':
      return given;
    case 'int64Value':
    case 'uint64Value':
      return Number.isSafeInteger(Number(given)) ? Number(given) : BigInt(given);
    case 'doubleValue':
      return Number.isFinite(given) ? (given === 0 ? 0 : given) : String(given);
    case 'bytesValue':
      return Buffer.from(given).toString('base64');
    case 'typeValue':
      return given;
    case 'listValue':
      return (given as { values: unknown[] }).values.map(jsonOf);
    case 'mapValue':
      return Object.fromEntries(
        (given as { entries: { key: unknown; value: unknown }[] }).entries.map(({ key, value: item }) => [
          String(jsonOf(key)),
          jsonOf(item),
        ]),
      );
    default:
      return NOT_JSON;
  }
}

/** True when the value means the same after it is passed as JSON. */
function isJson(value: unknown): boolean {
  const { case: kind, value: given } = (value as { kind: { case: string; value: never } }).kind;
  if (kind === 'int64Value') return true;
  if (kind === 'doubleValue') return Number.isFinite(given) && !Number.isSafeInteger(given);
  if (kind === 'listValue') return (given as { values: unknown[] }).values.every(isJson);
  if (kind === 'mapValue')
    return (given as { entries: { key: { kind: { case: string } }; value: unknown }[] }).entries.every(
      ({ key, value: item }) => key.kind.case === 'stringValue' && isJson(item),
    );
  return ['nullValue', 'boolValue', 'stringValue'].includes(kind);
}

function leftOut(path: string, one: Case): string | undefined {
  const apart = APART.find(([pattern]) => pattern.test(path));
  if (apart) return apart[1];
  if (/TestAllTypes|google\.protobuf|cel\.expr|Gl\w+Enum/.test(one.expr)) return 'protobuf messages';
  if (one.container !== '') return 'namespaces';
  if (one.checkOnly) return 'static types';
  const values = Object.values(one.bindings);
  if (values.some(({ kind }) => kind.case !== 'value' || !isJson(kind.value))) return 'input that is not JSON';
  return undefined;
}

function outcomeOf(path: string, one: Case): Outcome {
  const reason = leftOut(path, one);
  if (reason !== undefined) return { left_out: reason };
  const roots = Object.keys(one.bindings);
  const wanted = one.resultMatcher;
  const problems = expressions.check(one.expr, roots);
  if (problems.length > 0)
    return wanted.case === 'evalError' ? 'passed' : { failed: `does not compile: ${JSON.stringify(problems[0])}` };
  const scope = Object.fromEntries(
    Object.entries(one.bindings).map(([name, { kind }]) => [name, jsonOf(kind.value as ExprValue)]),
  );
  const found = expressions.compile(one.expr, roots).evaluate(scope);
  if (wanted.case === 'evalError') return found.ok ? { failed: `answers ${JSON.stringify(found.value)}` } : 'passed';
  const json = wanted.case === 'value' ? jsonOf(wanted.value) : true;
  if (json === NOT_JSON) return { left_out: 'an answer that is not JSON' };
  if (!found.ok) return { failed: found.reason };
  const same = JSON.stringify(sorted(found.value)) === JSON.stringify(sorted(json));
  return same ? 'passed' : { failed: `answers ${JSON.stringify(found.value)} for ${JSON.stringify(json)}` };
}

/** Members in the order of their names. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}

t.test('the official conformance cases', async (t) => {
  let passed = 0;
  const left_out = new Map<string, number>();
  const failed: Record<string, string> = {};
  const leave = (reason: string) => left_out.set(reason, (left_out.get(reason) ?? 0) + 1);

  function walk(suite: IncrementalTestSuite, path: string, reason: string | undefined): void {
    for (const { name, original } of suite.tests) {
      const outcome = reason === undefined ? outcomeOf(`${path}/${name}`, original) : { left_out: reason };
      if (outcome === 'passed') passed++;
      else if ('left_out' in outcome) leave(outcome.left_out);
      else failed[`${path}/${name}`] = `${original.expr} ${outcome.failed}`;
    }
    for (const inner of suite.suites) walk(inner, `${path}/${inner.name}`, reason);
  }

  for (const suite of getConformanceSuite().suites) walk(suite, suite.name, LEFT_OUT[suite.name]);
  const reasons = [...left_out].map(([reason, count]) => `${count} ${reason}`).join(', ');
  t.comment(`CEL conformance: ${passed} passed, ${Object.keys(failed).length} failed; left out: ${reasons}`);
  t.same(Object.keys(failed).sort(), Object.keys(FAILS).sort(), JSON.stringify(failed, null, 1));
  t.ok(passed >= 1000, `${passed} cases passed`);
});
