Feature: SDKs and verbs produce the same journal in all languages

  Rule: A text result is recorded like a command's output

    @SCR-005 @SCR-006 @SCR-007
    Scenario Outline: an SDK script produces the same journal as same.sh: <program>
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
        | sleep#0        | sleep       | 0    |          |                      |
        | approval#0     | wait-signal | 0    |          | {"by":"ann"}\n       |
        | set approval#0 | state       | 0    |          |                      |
        | use#0          | step        | 0    |          | {"by":"ann"} after 7 |
      And the log has "a pass begins" 3 times
      And "output" of the run is '{"built":"built","code":7}'
      And "annotations" of the run is '["# Built"]'

      Examples:
        | program    |
        | sdk.ts     |
        | sdk.js     |
        | sdk.mjs    |

      @needs-python3
      Examples:
        | program    |
        | sdk.py     |
        | sdk-aio.py |

  @contract
  Rule: A language without an SDK calls the verbs

    Scenario Outline: <program> calls the verbs on an agent with <capability>
      Given an agent has "<capability>"
      When I submit the program "<program>" with the options '<options>'
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
        | sleep#0        | sleep       | 0    |          |                      |
        | approval#0     | wait-signal | 0    |          | {"by":"ann"}\n       |
        | set approval#0 | state       | 0    |          |                      |
        | use#0          | step        | 0    |          | {"by":"ann"} after 7 |
      And "output" of the run is '{"built":"built","code":7}'

      Examples: chosen by the name of the file
        | program | capability | options               |
        | same.go | go         | {"requires": ["go"]} |

      Examples: asked for
        | program | capability | options                                        |
        | same.rb | ruby       | {"interpreter": "ruby", "requires": ["ruby"]} |
