/** What somebody writes first, in each language. */
export const programs: Readonly<Record<string, string>> = {
  'hello.sh': `name=$(svc step who -- echo you)
svc sleep 10ms
echo "hello $name"
readlink -f "$(type -P svc)" | xargs head -c 4 | tr -dc A-Z
echo
`,
  'names.ts': 'export enum Name {\n  Ana = "ana",\n}\n',
  'hello.ts': `import { output, sleep, step } from 'svc/sdk';
import { Name } from './names.ts';

const name: string = await step('who', () => Name.Ana);
await sleep('10ms');
await output.set({ hello: name });
`,
  'hello.py': `import svc_sdk as svc

name = svc.step("who", lambda: "eve")
svc.sleep("10ms")
svc.output.set(hello=name)
`,
};
