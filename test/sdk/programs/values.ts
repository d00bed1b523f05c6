import { sleep, step } from 'svc/sdk';

const values: unknown[] = [
  'hello',
  '',
  '5',
  ' -7e2 ',
  'true',
  'null',
  '{"a":1}',
  '"quoted"',
  '[draft] title',
  'NaN',
  '01',
  'two\nlines\n',
  'é😀',
  'a\0b',
  '\ufeffmark',
  '\ud800',
  undefined,
  0,
  -1.5,
  true,
  [],
  { b: [1, null, { c: 'ü' }] },
  { half: '\udc00' },
];
console.log('pass');
for (const [index, value] of values.entries()) {
  const result: unknown = await step(`value ${index}`, () => value);
  console.log(JSON.stringify(result ?? null));
}
await sleep('1s');
