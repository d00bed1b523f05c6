Feature: Numbers in runs stay unchanged

  Background:
    Given a file "order.sh":
      """
      svc step look -- cat "$SVC_INPUT_FILE"
      svc output set given:="$(cat "$SVC_INPUT_FILE")"
      """
    And a file "order.py":
      """
      import json, os, subprocess
      given = json.load(open(os.environ["SVC_INPUT_FILE"]))
      next = json.loads(subprocess.run(["svc", "step", "next", "--", "echo", str(given["input"]["id"] + 1)], check=True, capture_output=True).stdout)
      subprocess.run(["svc", "output", "set", f"given:={json.dumps(given)}", f"next:={next}"], check=True)
      """
    And a file "sdk.py":
      """
      import svc_sdk as svc
      given = svc.input()
      next = svc.step("next", lambda: given["input"]["id"] + 1)
      svc.sleep(0.01)
      svc.output.set(given=given, next=next)
      """
    And a file "sdk.ts":
      """
      import { input, output, sleep, step } from 'svc/sdk';
      const given = input() as { input: { id: bigint } };
      const next = await step('next', () => given.input.id + 1n);
      const text = JSON.stringify(given);
      await sleep('10ms');
      await output.set({ given, next, same: text === JSON.stringify(JSON.parse(text)) });
      """
    And a file "order.js":
      """
      const { readFileSync } = require('node:fs');
      const { execFileSync } = require('node:child_process');
      const text = readFileSync(process.env.SVC_INPUT_FILE, 'utf8');
      const next = execFileSync('svc', ['step', 'next', '--', 'echo', String(BigInt(/"id":(\d+)/.exec(text)[1]) + 1n)]);
      execFileSync('svc', ['output', 'set', `given:=${text}`, `next:=${next}`]);
      """

  Rule: A program reads and outputs exactly the number that it gets

    @contract
    Scenario Outline: <program> reads and outputs exact numbers
      When I submit "{folder}/<program> --input '{\"id\":820982911946154508,\"u\":18446744073709551615,\"n\":[-9223372036854775808]}'" with the CLI as "first"
      Then the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has "820982911946154508,"
      And the answer has "18446744073709551615,"
      And the answer has "-9223372036854775808]"
      And the answer has "<next>"
      When I rerun it as "again"
      Then the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has "820982911946154508,"
      And the answer has "18446744073709551615,"
      And the answer has "<next>"

      Examples:
        | program  | next               |
        | order.sh | 820982911946154508 |
        | sdk.ts   | 820982911946154509 |
        | order.js | 820982911946154509 |

      @needs-python3
      Examples:
        | program  | next               |
        | order.py | 820982911946154509 |
        | sdk.py   | 820982911946154509 |

    @contract
    Scenario Outline: numbers stay exact in parts of the input and in step attempts: <program>
      Given a file "parts.sh":
        """
        id=$(svc input id)
        again=$(svc step again --retry 2 --backoff 10ms -- sh -c "echo $id; [ \$ATTEMPT = 2 ]")
        svc output set id:="$id" again:="$again" list:="$(svc input list)"
        """
      And a file "parts.py":
        """
        import svc_sdk as svc
        def again():
            if svc.attempt() == 1: raise Exception("once more")
            return svc.data("id")
        svc.output.set(id=svc.data("id"), again=svc.step("again", again, retry={"attempts": 2, "backoff": "10ms"}), list=svc.data("list"))
        """
      And a file "parts.ts":
        """
        import { data, output, step } from 'svc/sdk';
        const again = ({ attempt }: { attempt?: number }) => {
          if (attempt === 1) throw new Error('once more');
          return data('id');
        };
        const policy = { retry: { attempts: 2, backoff: '10ms' } } as const;
        await output.set({ id: data('id'), again: await step('again', again, policy), list: data('list') });
        """
      When I submit "{folder}/<program> --input id:=820982911946154508 --input list:=[18446744073709551615]" with the CLI as "first"
      Then the run succeeds
      When I send "GET" to "{scoped}/runs/{run}"
      Then the answer has '"id":820982911946154508,"again":820982911946154508,"list":[18446744073709551615]'

      Examples:
        | program  |
        | parts.sh |
        | parts.ts |

      @needs-python3
      Examples:
        | program  |
        | parts.py |
