@contract
Feature: An SDK step runs once, no matter how often its script runs

  Rule: Results and failures are returned on every pass

    Scenario Outline: two steps are replayed: <program>
      When I submit the SDK program "<program>"
      Then the run waits for "signal" "go"
      When I send the signal "go" with 'null'
      Then the run succeeds
      And the file "ran" has 2 lines
      And the log is:
        """
        got {"n":1}
        caught step "bad" failed: LookupError: no
        got {"n":1}
        caught step "bad" failed: LookupError: no
        """
      And the recorded steps are:
        | site   | kind        | exit | stdout      | message         |
        | good#0 | step        | 0    | {"n":1}\n   |                 |
        | bad#0  | step        | 1    |             | LookupError: no |
        | go#0   | wait-signal | 0    | null\n      |                 |

      Examples:
        | program   |
        | replay.ts |

      @needs-python3
      Examples:
        | program   |
        | replay.py |

  Rule: An unhandled failure fails the run with its reason

    Scenario Outline: an unhandled failure is reported by <program>
      When I submit the SDK program "<program>"
      Then the run fails with code "script_failed"
      And "error.message" of the run matches "charge#0, failed with exit code 1\nRangeError: card declined"
      And the recorded steps are:
        | site     | exit | message                   |
        | charge#0 | 1    | RangeError: card declined |

      Examples:
        | program      |
        | unhandled.ts |

      @needs-python3
      Examples:
        | program      |
        | unhandled.py |

  Rule: A different order of calls fails the run even if the program catches errors

    Scenario: a program changes the order of its calls on the second pass
      When I submit the script "job.ts":
        """
        import { existsSync, writeFileSync } from 'node:fs';
        import { sleep, step } from 'svc/sdk';
        const turned: boolean = existsSync('{folder}/turned');
        writeFileSync('{folder}/turned', '');
        try {
          await step(turned ? 'other' : 'one', () => 1);
          await sleep('10ms');
        } catch {
          console.log('swallowed');
        }
        """
      Then the run fails with code "determinism_violation"
      And the log lacks "swallowed"
