Feature: All languages produce the same journal

  Rule: The same calls in bash, Python, JavaScript and TypeScript produce the same journal

    @VERB-001 @VERB-002 @VERB-003 @VERB-006 @VERB-007 @VERB-014 @VERB-049 @SCR-005 @SCR-006 @SCR-007 @SCR-072
    Scenario Outline: the expected journal results from <program>
      When I submit the program "<program>"
      Then the run waits for "signal" "approval"
      When I send the signal "approval" with '{"by":"ann"}'
      Then the run succeeds
      And the file "commands" has 4 lines
      And the recorded steps are:
        | site           | kind        | exit | label    | stdout               |
        | build#0        | step        | 0    | Build it | built\n              |
        | round#0        | step        | 0    |          | round 1 of built\n   |
        | round#1        | step        | 0    |          | round 2 of built\n   |
        | fragile#0      | step        | 7    |          |                      |
        | sleep#0             | sleep       | 0    |          |                      |
        | approval#0     | wait-signal | 0    |          | {"by":"ann"}\n       |
        | set approval#0 | state       | 0    |          |                      |
        | use#0          | step        | 0    |          | {"by":"ann"} after 7 |
      And the log has "a pass begins" 3 times
      And "output" of the run is '{"built":"built","code":7}'
      And "annotations" of the run is '["# Built"]'

      Examples:
        | program |
        | same.sh |
        | same.js |
        | same.ts |

      @needs-python3
      Examples:
        | program |
        | same.py |
